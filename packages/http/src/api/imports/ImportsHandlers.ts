// The handlers of contact imports.
import type { ResultsQuery as CoreResultsQuery } from "@tentpole/core/imports/ImportStore"
import { Imports } from "@tentpole/core/imports/Imports"
import type { RejectedRowsExport } from "@tentpole/core/imports/RejectedRows"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../Api.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import {
  type BeginImport,
  type ResultsQuery,
  toExecution,
  toPreviewWire,
  toResultWire,
  toRunWire,
  toSessionWire,
  toUploadWire,
} from "./ImportsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "imports",
  Effect.fn(function* (group) {
    const imports = yield* Imports

    const begin = (workspace: WorkspaceId, body: typeof BeginImport.Type) =>
      body.source === "rows"
        ? Effect.map(imports.beginRows(workspace, body.rows, body.file_name ?? null), toSessionWire)
        : Effect.map(
            imports.beginUpload(workspace, { fileName: body.file_name, contentType: body.content_type ?? "text/csv" }),
            toUploadWire,
          )

    return group.handleAll({
      begin: ({ payload }) => withWorkspace(({ id }) => begin(id, payload)).pipe(answer((session) => session)),
      preview: ({ params }) =>
        withWorkspace((workspace) => imports.preview(workspace, params.session_id)).pipe(answer(toPreviewWire)),
      execute: ({ params, payload }) =>
        withWorkspace(({ id }) => imports.execute(id, params.session_id, toExecution(payload))).pipe(answer(toRunWire)),
      find: ({ params }) => withWorkspace(({ id }) => imports.getRun(id, params.import_run_id)).pipe(answer(toRunWire)),
      results: ({ params, query }) =>
        withWorkspace(({ id }) => imports.results(id, params.import_run_id, toResultsQuery(query))).pipe(
          answer(paged("items", query, toResultWire)),
        ),
      exportKept: ({ params }) =>
        withWorkspace(({ id }) => imports.exportRejected(id, params.import_run_id)).pipe(answer(toFile)),
    })
  }),
)

const toFile = ({ fileName, bytes }: RejectedRowsExport) =>
  HttpApiSchema.withHeaders({ body: bytes, headers: { "content-disposition": attachment(fileName) } })

const toResultsQuery = (query: typeof ResultsQuery.Type): CoreResultsQuery => ({
  ...pageOf(query),
  status: query.status ?? null,
})
