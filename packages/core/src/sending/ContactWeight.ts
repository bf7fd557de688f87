// What a contact weighs in memory, near enough to know how many can be held at once.
import type { Contact } from "../contacts/Contact.ts"

/** An object with its usual fields. */
const empty_bytes = 500

/** Text is held with up to two bytes a character. */
export const estimateContactBytes = (contact: Contact): number => {
  let bytes = empty_bytes
  for (const value of Object.values(contact.customFields)) bytes += typeof value === "string" ? 2 * value.length : 8
  return bytes
}
