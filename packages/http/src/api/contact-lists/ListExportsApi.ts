// The calls on exports of contact lists.
import { ListExportId, ListId } from "@tentpole/core/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { errors } from "../../Errors.ts"
import { BeginExport, ExportBegun, ExportWire } from "./ListExportWire.ts"

/** While work is in progress: how many seconds to wait before asking again. */
const retryAfter = { "retry-after": Schema.optionalKey(Schema.String) }

export const ListExportsApi = HttpApiGroup.make("listExports")
  .add(
    HttpApiEndpoint.post("begin", "/v1/contact-lists/:listId/export", {
      params: { listId: ListId },
      payload: [BeginExport, Schema.Undefined],
      success: ExportBegun.pipe(HttpApiSchema.status(202)),
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-lists/:listId/export/:exportId", {
      params: { listId: ListId, exportId: ListExportId },
      success: HttpApiSchema.WithHeaders(ExportWire, retryAfter),
      error: errors("not_found", "unavailable"),
    }),
  )
