// An estimate of a contact's size in memory, for limiting how many are loaded at once.
import type { Contact } from "../contacts/Contact.ts"

/** An object with its standard fields. */
const empty_bytes = 500

/** Text takes up to two bytes a character. */
export const estimateContactBytes = (contact: Contact): number => {
  let bytes = empty_bytes
  for (const value of Object.values(contact.customFields)) bytes += typeof value === "string" ? 2 * value.length : 8
  return bytes
}
