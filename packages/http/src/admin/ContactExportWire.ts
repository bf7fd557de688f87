// Wire schema of the export of all data of a contact.
import { ContactId } from "@tentpole/core/kernel/Ids"
import type { StoredRow } from "@tentpole/core/operations/privacy/PrivacyStore"
import { type DateTime, Schema } from "effect"
import { InstantWire, iso } from "../Wire.ts"

export const ContactExportWire = Schema.Struct({
  contact_id: ContactId,
  exported_at: InstantWire,
  records: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))).annotate({
    description: "The rows by table: `contact`, `list_member`, `activity`, `delivery`, `form_submission` and so on",
  }),
}).annotate({ identifier: "ContactExport" })

export const toContactExportWire = (
  id: ContactId,
  rows: ReadonlyArray<StoredRow>,
  at: DateTime.Utc,
): typeof ContactExportWire.Type => {
  const records: Record<string, Array<StoredRow["row"]>> = {}
  for (const { row, table } of rows) (records[table] ??= []).push(row)
  return { contact_id: id, exported_at: iso(at), records }
}
