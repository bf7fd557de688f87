// Exports of lists as the wire has them.
import { ListExportId } from "@tentpole/core/Ids"
import { isPending, type ListExport } from "@tentpole/core/lists/ListExport"
import type { ShownExport } from "@tentpole/core/lists/ListExports"
import { Schema } from "effect"
import { InstantWire, iso, isoOrNull, oneOf } from "../../Wire.ts"

export const BeginExport = Schema.Struct({
  exclude_unsubscribed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Leaves out contacts that have unsubscribed; false when absent",
  }),
}).annotate({ identifier: "BeginContactListExport" })

const status = oneOf("queued", "running", "completed", "failed")

export const ExportBegun = Schema.Struct({ export_id: ListExportId, status }).annotate({
  identifier: "ContactListExportBegun",
})

export const toBegun = ({ id, status }: ListExport): typeof ExportBegun.Type => ({ export_id: id, status })

const described = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

export const ExportWire = Schema.Struct({
  export_id: ListExportId,
  status,
  row_count: described(Schema.Int, "Contacts in the file, its header not counted; null until completed"),
  file_name: described(Schema.String, "Null until completed").annotate({
    examples: ["spring-customers-2026-05-01.csv"],
  }),
  download_url: described(
    Schema.String,
    "Where the file is: UTF-8 with BOM, RFC 4180; no API key is needed. Made anew for each answer; null until completed",
  ),
  expires_at: described(
    InstantWire,
    "When download_url ends: after an hour, and with the file, which is kept for 24 hours; null until completed",
  ),
  error: described(Schema.String, "Why it failed; null unless it has"),
  created_at: InstantWire,
  completed_at: described(InstantWire, "When it completed or failed; null before"),
}).annotate({ identifier: "ContactListExport" })

export const toExportWire = ({ listExport: it, link }: ShownExport): typeof ExportWire.Type => ({
  export_id: it.id,
  status: it.status,
  row_count: it.status === "completed" ? it.rowCount : null,
  file_name: it.status === "completed" ? it.fileName : null,
  download_url: link?.url ?? null,
  expires_at: isoOrNull(link?.expiresAt ?? null),
  error: it.status === "failed" ? it.error : null,
  created_at: iso(it.createdAt),
  completed_at: isPending(it) ? null : iso(it.completedAt),
})
