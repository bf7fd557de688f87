// A batch of contacts by hand: one statement for each table in one transaction, with prepared arrays.
import { booleans, floats, texts } from "@tentpole/adapters/postgres/kernel/Arrays"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import type { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { type BareColumn, recordActivities, type Statement, writeContacts } from "../BareStatements.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

type Column = BareColumn<Contact>

const column = (name: string, type: string, of: (contact: Contact) => string | null): Column => ({
  name,
  type,
  values: (contacts) => texts(contacts.map(of)),
})

const number = (name: string, of: (contact: Contact) => number | null): Column => ({
  name,
  type: "double precision",
  values: (contacts) => floats(contacts.map(of)),
})

const standardColumns: ReadonlyArray<Column> = standardFields.flatMap((field): ReadonlyArray<Column> => {
  switch (field.kind) {
    case "text":
    case "email": {
      const folded = (contact: Contact) => {
        const text = contact[field.key]
        return text === null ? null : fold(text)
      }
      return [
        column(field.apiName, "text", (contact) => contact[field.key]),
        column(`${field.apiName}_folded`, "text", folded),
      ]
    }
    case "phone":
      return [column(field.apiName, "text", (contact) => contact.phone)]
    case "number":
      return [number(field.apiName, (contact) => contact.serviceScore)]
    case "boolean": {
      const values = (contacts: ReadonlyArray<Contact>) => booleans(contacts.map((contact) => contact[field.key]))
      return [{ name: field.apiName, type: "boolean", values }]
    }
    case "instant":
      return []
  }
})

const customColumns = ({ columns }: LargeWorkspace): ReadonlyArray<Column> => [
  column("custom_fields", "jsonb", ({ customFields }) => JSON.stringify(customFields)),
  column("custom_fields_folded", "jsonb", ({ customFields }) => {
    const found = Object.entries(customFields).filter(([, value]) => typeof value !== "number")
    return JSON.stringify(
      Object.fromEntries(found.map(([name, value]) => [name, typeof value === "string" ? fold(value) : value])),
    )
  }),
  ...Object.entries(columns).map(([name, lent]) =>
    number(lent ?? "", ({ customFields }) => {
      const value = customFields[name]
      return typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : null
    }),
  ),
]

const contactStatement = (world: LargeWorkspace, { creates, updates }: ContactsChange): Statement => {
  const changing = [
    column("contact_id", "uuid", ({ id }) => id),
    ...standardColumns,
    column("email_normalized", "text", ({ emailNormalized }) => emailNormalized),
    ...customColumns(world),
    column("updated_at", "timestamptz", ({ updatedAt }) => DateTime.formatIso(updatedAt)),
  ]
  if (creates.length === 0) {
    const contacts = updates.map(({ after }) => after)
    return writeContacts("update", world.workspace, changing, contacts)
  }
  const createdAt = column("created_at", "timestamptz", ({ createdAt: at }) => DateTime.formatIso(at))
  return writeContacts("insert", world.workspace, [...changing, createdAt], creates)
}

/** All statements of a change. */
export const bareStatements = (world: LargeWorkspace, change: ContactsChange): ReadonlyArray<Statement> => [
  contactStatement(world, change),
  recordActivities(
    world.workspace,
    change.activities.map(({ at, contactId, metadata, type }) => ({
      contact_id: contactId,
      at: DateTime.formatIso(at),
      type,
      metadata: JSON.stringify(metadata),
    })),
  ),
]
