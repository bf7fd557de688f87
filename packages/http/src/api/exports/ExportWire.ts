// Exports as the wire has them, whatever they are of.
import { isPending, type Export } from "@tentpole/core/exports/Export"
import type { ShownExport } from "@tentpole/core/exports/Exports"
import { ExportId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { InstantWire, iso, isoOrNull, oneOf } from "../../Wire.ts"

const status = oneOf("queued", "running", "completed", "failed")

const Begun = Schema.Struct({ export_id: ExportId, status }).annotate({ identifier: "ExportBegun" })

/** What the asking for an export answers. */
export const ExportBegun = Begun.pipe(HttpApiSchema.status(202))

export const toBegun = ({ id, status }: Export): typeof Begun.Type => ({ export_id: id, status })

const described = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

const ExportWire = Schema.Struct({
  export_id: ExportId,
  status,
  row_count: described(Schema.Int, "Rows of the file, its header not counted; null until completed"),
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
}).annotate({ identifier: "Export" })

/** While it is being written: how many seconds to wait before asking again. */
export const FollowedExport = HttpApiSchema.WithHeaders(ExportWire, {
  "retry-after": Schema.optionalKey(Schema.String),
})

const toExportWire = ({ record: it, link }: ShownExport): typeof ExportWire.Type => ({
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

export const toFollowed = (shown: ShownExport) =>
  HttpApiSchema.withHeaders({
    body: toExportWire(shown),
    headers: isPending(shown.record) ? { "retry-after": "10" } : {},
  })
