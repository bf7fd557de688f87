// The endpoints that start and follow an export of contacts, and their schemas.
import { type Export, isPending } from "@tentpole/core/exports/Export"
import type { ExportView } from "@tentpole/core/exports/Exports"
import { ExportId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { InstantWire, iso, isoOrNull, oneOf, polled, pollHeaders } from "../../Wire.ts"

const status = oneOf("queued", "running", "completed", "failed")

const Begun = Schema.Struct({ export_id: ExportId, status }).annotate({ identifier: "ExportBegun" })

export const ExportBegun = Begun.pipe(HttpApiSchema.status(202))

export const toBegun = ({ id, status }: Export): typeof Begun.Type => ({ export_id: id, status })

const nullable = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

const ExportWire = Schema.Struct({
  export_id: ExportId,
  status,
  row_count: nullable(Schema.Int, "Rows of the file without the header; null until completed"),
  file_name: nullable(Schema.String, "null until completed").annotate({
    examples: ["spring-customers-2026-05-01.csv"],
  }),
  download_url: nullable(
    Schema.String,
    "URL of the CSV file (RFC 4180, UTF-8 with BOM). No API key is needed. Each answer has a new URL; null until completed",
  ),
  expires_at: nullable(
    InstantWire,
    "When `download_url` expires: after an hour, and at the latest with the file after 24 hours; null until completed",
  ),
  error: nullable(Schema.String, "Why it failed, or null"),
  created_at: InstantWire,
  completed_at: nullable(InstantWire, "When it completed or failed"),
}).annotate({ identifier: "Export" })

/** With the seconds until the next poll, while it is in progress. */
export const FollowedExport = HttpApiSchema.WithHeaders(ExportWire, pollHeaders)

export const toExportWire = ({ record: it, link }: ExportView): typeof ExportWire.Type => ({
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

export const toFollowed = (shown: ExportView) => polled(toExportWire(shown), isPending(shown.record))

export const exportEndpoints = <const Path extends `/${string}`, Begin extends Schema.Top>({
  path,
  payload,
  exported,
}: {
  readonly path: Path
  readonly payload: Begin
  /** What the file contains: `a blast's recipients`. */
  readonly exported: string
}) =>
  [
    Endpoint.post("begin", path, {
      needs: "editor",
      summary: `Export ${exported}`,
      description: `Starts to write ${exported} to a CSV file. Poll the export until it is completed.`,
      payload: [payload, Schema.Undefined],
      success: ExportBegun,
      errors: ["not_found"],
    }),
    Endpoint.get("find", `${path}/:exportId`, {
      needs: "editor",
      summary: `Get an export of ${exported}`,
      description:
        "Returns the progress of the export. When it is completed, each call returns a new signed `download_url` that is valid for an hour. The file is deleted after 24 hours.",
      success: FollowedExport,
      errors: ["not_found", "unavailable"],
    }),
  ] as const
