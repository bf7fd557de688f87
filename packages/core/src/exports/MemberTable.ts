// The table of a list's members: the columns of an export, and a contact's cells.
import { DateTime } from "effect"
import { type Contact, customValue, isTags } from "../contacts/Contact.ts"
import { standardFields } from "../contacts/ContactFields.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import { joinTags } from "../contacts/values/Tags.ts"
import { cellText } from "../kernel/Csv.ts"

export interface MemberTable {
  /** The columns' names, which are the fields' names on the wire. */
  readonly header: ReadonlyArray<string>
  /** A contact's cells, one for each column, with guards against formulas in spreadsheets. */
  readonly row: (contact: Contact) => ReadonlyArray<string>
}

interface Column {
  readonly name: string
  readonly value: (contact: Contact) => string | number | boolean | DateTime.Utc | null
}

/** `fields` are the workspace's, oldest first. Archived ones have no column. */
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

/** In the order of the standard fields, with custom fields before the instants. */
const standardColumns = standardFields.map(({ apiName, kind, key }) => ({
  name: apiName,
  kind,
  value: (contact: Contact) => contact[key],
}))

const customColumn = ({ apiName }: CustomField): Column => ({
  name: `custom_fields.${apiName}`,
  value: (contact) => {
    const value = customValue(contact, apiName)
    return isTags(value) ? joinTags(value) : value
  },
})
