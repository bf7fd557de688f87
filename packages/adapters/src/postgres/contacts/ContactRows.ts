// Rows of `contact` and their conversion to contacts.
import type { Contact } from "@tentpole/core/contacts/Contact"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { DateTime } from "effect"
import { instant } from "../kernel/Instants.ts"

/** A contact as PostgreSQL returns it. */
export interface ContactRow extends Omit<Contact, "createdAt" | "updatedAt" | "lastActivityAt"> {
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly lastActivityAt: Date | null
}

/** The columns of a `ContactRow`, of table `contact` under the alias `c`. */
export const contactColumns = [
  `c.contact_id as id, c.email_normalized as "emailNormalized", c.custom_fields as "customFields"`,
  ...standardFields.map(({ apiName, key }) => `c.${apiName} as "${key}"`),
].join(", ")

export const toContact = (row: ContactRow): Contact => ({
  ...row,
  createdAt: DateTime.makeUnsafe(row.createdAt),
  updatedAt: DateTime.makeUnsafe(row.updatedAt),
  lastActivityAt: instant(row.lastActivityAt),
})
