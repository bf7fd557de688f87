// A batch of contacts by hand: one statement for each table in one transaction, with prepared arrays.
import { booleans, floats, texts } from "@tentpole/adapters/postgres/kernel/Arrays"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import type { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { type BareColumn, type Statement, unnested } from "../BareStatements.ts"
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
  if (creates.length > 0) {
    const columns = [...changing, column("created_at", "timestamptz", ({ createdAt }) => DateTime.formatIso(createdAt))]
    const { rows, values } = unnested(columns, creates)
    const names = columns.map(({ name }) => name).join(", ")
    return {
      text: `insert into contact (workspace_id, ${names}) select $1::uuid, u.* from ${rows}`,
      parameters: [world.workspace, ...values],
    }
  }
  const { rows, values } = unnested(
    changing,
    updates.map(({ after }) => after),
  )
  const assignments = changing.slice(1).map(({ name }) => `${name} = u.${name}`)
  return {
    text: `update contact c set ${assignments.join(", ")} from ${rows}
      where c.workspace_id = $1::uuid and c.contact_id = u.contact_id`,
    parameters: [world.workspace, ...values],
  }
}

/** All statements of a change. */
export const bareStatements = (world: LargeWorkspace, change: ContactsChange): ReadonlyArray<Statement> => {
  const ids = texts(change.activities.map(({ contactId }) => contactId))
  const types = texts(change.activities.map(({ type }) => type))
  const times = texts(change.activities.map(({ at }) => DateTime.formatIso(at)))
  const metadata = texts(change.activities.map((activity) => JSON.stringify(activity.metadata)))
  const parameters = [world.workspace, ids, times, types, metadata]
  const rows = "unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::jsonb[]) as u (contact_id, at, type, metadata)"
  return [
    contactStatement(world, change),
    {
      text: `insert into activity (workspace_id, contact_id, at, type, metadata) select $1::uuid, u.* from ${rows}`,
      parameters,
    },
    {
      text: `insert into outbox_event (workspace_id, contact_id, at, type, data) select $1::uuid, u.* from ${rows}`,
      parameters,
    },
  ]
}
