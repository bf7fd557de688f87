// A list's members as a table: which columns an export has, and what a contact has in them.
import { DateTime } from "effect"
import { type Contact, customValue, type CustomValue } from "../contacts/Contact.ts"
import { standardFields } from "../contacts/ContactFields.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import { cellText } from "../kernel/Csv.ts"

export interface MemberTable {
  /** The columns' names: as imports and the wire call the fields. */
  readonly header: ReadonlyArray<string>
  /** A contact's cells, as many as there are columns, guarded against spreadsheets that would run them. */
  readonly row: (contact: Contact) => ReadonlyArray<string>
}

interface Column {
  readonly name: string
  readonly value: (contact: Contact) => CustomValue | DateTime.Utc | null
}

/** `fields` are the workspace's, oldest first; archived ones have no column. */
export const memberTable = (fields: ReadonlyArray<CustomField>): MemberTable => {
  const columns = [
    { name: "contact_id", value: (contact: Contact) => contact.id },
    ...standardColumns.filter(({ kind }) => kind !== "instant"),
    ...fields.flatMap((field): ReadonlyArray<Column> => (field.status === "active" ? [customColumn(field)] : [])),
    ...standardColumns.filter(({ kind }) => kind === "instant"),
  ]
  return {
    header: columns.map(({ name }) => name),
    row: (contact) => columns.map(({ value }) => cellText(value(contact))),
  }
}

/** In the description's order, where custom fields stand before the instants. */
const standardColumns = standardFields.map(({ apiName, kind, key }) => ({
  name: apiName,
  kind,
  value: (contact: Contact) => contact[key],
}))

const customColumn = ({ apiName }: CustomField): Column => ({
  name: `custom_fields.${apiName}`,
  value: (contact) => customValue(contact, apiName),
})
