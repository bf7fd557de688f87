// The calls on contact imports.
import { ImportRunId, ImportSessionId } from "@tentpole/core/kernel/Ids"
import { results_limit_max } from "@tentpole/core/imports/ImportStore"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { limitParameter, oneOf, pageParameter, PaginationWire } from "../../Wire.ts"
import { BeginImport, Execute, PreviewWire, ResultWire, RunWire, SessionWire } from "./ImportWire.ts"

export const ResultsQuery = Schema.Struct({
  status: Schema.optionalKey(oneOf("created", "updated", "skipped", "failed")),
  page: pageParameter,
  limit: limitParameter(results_limit_max),
})

export const ResultsAnswer = Schema.Struct({ items: Schema.Array(ResultWire), pagination: PaginationWire }).annotate({
  identifier: "ImportResults",
})

const KeptRowsAnswer = HttpApiSchema.WithHeaders(
  HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
  { "content-disposition": Schema.String },
)

export const ImportsApi = HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post("begin", "/v1/contacts/imports", {
      payload: BeginImport,
      success: SessionWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "payload_too_large", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Begin an import")
      .annotate(
        OpenApi.Description,
        "Opens a session for a file, which is then sent to `upload_url` by PUT; or takes up to 1,000 rows at once. A session ends after 24 hours, or when it is executed.",
      ),
  )
  .add(
    HttpApiEndpoint.post("preview", "/v1/contacts/imports/:session_id/preview", {
      params: { session_id: ImportSessionId },
      success: PreviewWire,
      error: errors("not_found", "upload_missing", "import_unreadable", "payload_too_large", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Preview an import")
      .annotate(
        OpenApi.Description,
        "Reads the columns and the first 200 rows, and proposes where each column goes. Headers are compared with the names of the fields first; about those that are left the AI is asked, which sees headers and the shapes of values, never a value. Its answer is kept with the session: the same file before the same fields is previewed the same. After 10 seconds, or when the AI can't be asked, the preview comes without its suggestions, and each open column's `reason` says so; the next preview asks again.",
      ),
  )
  .add(
    HttpApiEndpoint.post("execute", "/v1/contacts/imports/:session_id/execute", {
      params: { session_id: ImportSessionId },
      payload: Execute,
      success: RunWire.pipe(HttpApiSchema.status(202)),
      error: errors(
        "validation_failed",
        "not_found",
        "invalid_state",
        "upload_missing",
        "import_unreadable",
        "payload_too_large",
        "unavailable",
      ),
    })
      .annotate(OpenApi.Summary, "Execute an import")
      .annotate(
        OpenApi.Description,
        "Starts the run with these mappings and answers with it. A session is executed once; follow the run with `GET /v1/contacts/imports/{import_run_id}`. A run that is killed goes on where it was.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contacts/imports/:import_run_id", {
      params: { import_run_id: ImportRunId },
      success: RunWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read an import's run")
      .annotate(OpenApi.Description, "How far the run is, with its counters."),
  )
  .add(
    HttpApiEndpoint.get("results", "/v1/contacts/imports/:import_run_id/results", {
      params: { import_run_id: ImportRunId },
      query: ResultsQuery,
      success: ResultsAnswer,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "List an import's results")
      .annotate(
        OpenApi.Description,
        "What became of each row, in the file's order; of a run that goes on, of each row that is done by now.",
      ),
  )
  .add(
    HttpApiEndpoint.get("exportKept", "/v1/contacts/imports/:import_run_id/export", {
      params: { import_run_id: ImportRunId },
      success: KeptRowsAnswer,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Export the rows that did not go in")
      .annotate(
        OpenApi.Description,
        "The skipped and failed rows of the run, of one that goes on those that there are by now, as CSV (UTF-8 with byte " +
          "order mark): the columns of the file, then row_number, status and reason. Mended, it can be imported again; an " +
          "import takes the ' that stands before formulas off. An answer that breaks off is not whole: ask again.",
      ),
  )
