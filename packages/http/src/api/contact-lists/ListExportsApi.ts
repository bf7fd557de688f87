// The calls on exports of contact lists.
import { ExportId, ListId } from "@tentpole/core/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { errors } from "../../Errors.ts"
import { ExportBegun, FollowedExport } from "../exports/ExportWire.ts"

export const BeginListExport = Schema.Struct({
  exclude_unsubscribed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Leaves out contacts that have unsubscribed; false when absent",
  }),
}).annotate({ identifier: "BeginContactListExport" })

export const ListExportsApi = HttpApiGroup.make("listExports")
  .add(
    HttpApiEndpoint.post("begin", "/v1/contact-lists/:listId/export", {
      params: { listId: ListId },
      payload: [BeginListExport, Schema.Undefined],
      success: ExportBegun,
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-lists/:listId/export/:exportId", {
      params: { listId: ListId, exportId: ExportId },
      success: FollowedExport,
      error: errors("not_found", "unavailable"),
    }),
  )
