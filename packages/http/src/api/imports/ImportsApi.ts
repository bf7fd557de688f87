// The calls on contact imports.
import { ImportRunId, ImportSessionId } from "@tentpole/core/Ids"
import { results_limit_max } from "@tentpole/core/imports/ImportStore"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../Errors.ts"
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

export const ImportsApi = HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post("begin", "/v1/contacts/imports", {
      payload: BeginImport,
      success: SessionWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "payload_too_large", "unavailable"),
    }),
  )
  .add(
    HttpApiEndpoint.post("preview", "/v1/contacts/imports/:session_id/preview", {
      params: { session_id: ImportSessionId },
      success: PreviewWire,
      error: errors("not_found", "upload_missing", "import_unreadable", "payload_too_large", "unavailable"),
    }).annotate(
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
    }),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contacts/imports/:import_run_id", {
      params: { import_run_id: ImportRunId },
      success: RunWire,
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.get("results", "/v1/contacts/imports/:import_run_id/results", {
      params: { import_run_id: ImportRunId },
      query: ResultsQuery,
      success: ResultsAnswer,
      error: errors("not_found"),
    }),
  )
