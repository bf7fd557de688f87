// The calls on exports of contact lists.
import { ExportId, ListId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
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
    })
      .annotate(OpenApi.Summary, "Export a list's members")
      .annotate(
        OpenApi.Description,
        "Starts to write the list's members to a CSV file. Follow it with `GET /v1/contact-lists/{listId}/export/{exportId}`.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-lists/:listId/export/:exportId", {
      params: { listId: ListId, exportId: ExportId },
      success: FollowedExport,
      error: errors("not_found", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Read an export of members")
      .annotate(
        OpenApi.Description,
        "How far the export is. When it is completed, `download_url` is signed anew at each call and valid for an hour; the file is kept for 24 hours.",
      ),
  )
