// The handlers of contact imports.
import { Imports } from "@tentpole/core/imports/Imports"
import type { RejectedRowsExport } from "@tentpole/core/imports/RejectedRows"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf, sliced } from "../../Wire.ts"
import {
  type BeginImport,
  toExecution,
  toNamedRunWire,
  toPreviewWire,
  toResultWire,
  toRunWire,
  toSessionWire,
  toUploadWire,
} from "./ImportWire.ts"

export const layer = handlersOf("imports", Imports, (imports) => {
  const begin = (workspace: WorkspaceId, body: typeof BeginImport.Type) =>
    body.source === "rows"
      ? Effect.map(imports.beginRows(workspace, body.rows, body.file_name ?? null), toSessionWire)
      : Effect.map(
          imports.beginUpload(workspace, {
            fileName: body.file_name,
            contentType: body.content_type ?? "text/csv",
            throughService: body.through_service ?? false,
          }),
          toUploadWire,
        )
  return {
    begin: ({ payload }, { id }) => begin(id, payload).pipe(answer((session) => session)),
    list: ({ query }, { id }) => imports.listRuns(id, query).pipe(answer(sliced("runs", toNamedRunWire))),
    preview: ({ params }, workspace) => imports.preview(workspace, params.session_id).pipe(answer(toPreviewWire)),
    execute: ({ params, payload }, { id }) =>
      imports.execute(id, params.session_id, toExecution(payload)).pipe(answer(toRunWire)),
    find: ({ params }, { id }) => imports.getRun(id, params.import_run_id).pipe(answer(toRunWire)),
    results: ({ params, query }, { id }) =>
      imports
        .results(id, params.import_run_id, { status: null, ...query, ...pageOf(query) })
        .pipe(answer(paged("items", query, toResultWire))),
    exportKept: ({ params }, { id }) => imports.exportRejected(id, params.import_run_id).pipe(answer(toFile)),
  }
})

const toFile = ({ fileName, bytes }: RejectedRowsExport) =>
  HttpApiSchema.withHeaders({ body: bytes, headers: { "content-disposition": attachment(fileName) } })
