// The endpoints of contact imports.
import { results_limit_max } from "@tentpole/core/imports/ImportStore"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, limitParameter, oneOf, pageParameter } from "../../Wire.ts"
import { BeginImport, Execute, PreviewWire, ResultsAnswer, RunsAnswer, RunWire, SessionWire } from "./ImportWire.ts"

const ResultsQuery = Schema.Struct({
  status: Schema.optionalKey(oneOf("created", "updated", "skipped", "failed")),
  page: pageParameter,
  limit: limitParameter(results_limit_max),
})

const KeptRowsAnswer = HttpApiSchema.WithHeaders(
  HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
  { "content-disposition": Schema.String },
)

export const ImportsApi = Endpoint.group("imports", "Imports of contacts from CSV files or rows.").add(
  Endpoint.post("begin", "/v1/contacts/imports", {
    needs: "editor",
    summary: "Start an import",
    description:
      "Creates an import session. Upload the file to `upload_url` with PUT, or send up to 1,000 rows in the body. A session expires after 24 hours and can be executed once.",
    payload: BeginImport,
    success: SessionWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "payload_too_large", "unavailable"],
  }),
  Endpoint.get("list", "/v1/contacts/imports", {
    needs: "viewer",
    summary: "List import runs",
    description: "Returns the runs with their progress and counts, the newest first.",
    query: cursorQuery,
    success: RunsAnswer,
    errors: ["invalid_cursor"],
  }),
  Endpoint.post("preview", "/v1/contacts/imports/:session_id/preview", {
    needs: "editor",
    summary: "Preview an import",
    description:
      "Parses the columns and the first 200 rows and proposes a target field for each column. Headers are matched with field names first. The AI suggests targets for the remaining columns: it sees headers and the shapes of values, never values. Its suggestions are stored with the session. If the AI does not answer within 10 seconds, the affected columns say so in `reason`, and the next preview tries again.",
    success: PreviewWire,
    errors: ["not_found", "upload_missing", "import_unreadable", "payload_too_large", "unavailable"],
  }),
  Endpoint.post("execute", "/v1/contacts/imports/:session_id/execute", {
    needs: "editor",
    summary: "Execute an import",
    description:
      "Starts the import with these mappings and returns the run. A session can be executed once. Poll `GET /v1/contacts/imports/{import_run_id}` for progress. A run that is interrupted continues where it stopped. With `consent.double_opt_in` the workspace must have a sender on a verified domain: without one the import is refused, and nothing is written.",
    payload: Execute,
    success: RunWire.pipe(HttpApiSchema.status(202)),
    errors: [
      "validation_failed",
      "not_found",
      "invalid_state",
      "topic_archived",
      "email_not_ready",
      "message_too_large",
      "too_complex",
      "upload_missing",
      "import_unreadable",
      "payload_too_large",
      "unavailable",
    ],
  }),
  Endpoint.get("find", "/v1/contacts/imports/:import_run_id", {
    needs: "viewer",
    summary: "Get an import run",
    description: "Returns the progress and the counts of the run.",
    success: RunWire,
  }),
  Endpoint.get("results", "/v1/contacts/imports/:import_run_id/results", {
    needs: "viewer",
    summary: "List an import's results",
    description:
      "Returns the outcome of each row in the order of the file. While the run is in progress, it returns the rows that are done. An installation may delete the results of old imports: `items` is then empty, and the totals stay.",
    query: ResultsQuery,
    success: ResultsAnswer,
  }),
  Endpoint.get("exportKept", "/v1/contacts/imports/:import_run_id/export", {
    needs: "editor",
    summary: "Export rejected rows",
    description:
      "Returns the skipped and failed rows, and those that were imported without an invalid cell, as CSV (UTF-8 with byte order mark): the columns of the file, then row_number, status and reason. While the run is in progress, it returns the rows so far. Corrected, the file can be imported again: an import removes the apostrophe before formulas. If the response is cut off, request it again. If the results were deleted because of their age, the file has no rows.",
    success: KeptRowsAnswer,
  }),
)
