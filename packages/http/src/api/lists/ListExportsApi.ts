// The endpoints that export the members of a contact list.
import { ListId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { exportEndpoints } from "../exports/ExportEndpoints.ts"

export const BeginListExport = Schema.Struct({
  exclude_unsubscribed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Excludes unsubscribed contacts. Default: false",
  }),
}).annotate({ identifier: "BeginContactListExport" })

export const ListExportsApi = Endpoint.group("listExports", "Exports of list members as CSV.").add(
  ...exportEndpoints({
    path: "/v1/contact-lists/:listId/export",
    params: { listId: ListId },
    payload: BeginListExport,
    exported: "a list's members",
  }),
)
