// The calls on exports of a blast's recipients.
import { recipientCategories } from "@tentpole/core/blasts/BlastStore"
import { BlastId, ExportId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { oneOf } from "../../Wire.ts"
import { ExportBegun, FollowedExport } from "../exports/ExportWire.ts"

export const BeginRecipientsExport = Schema.Struct({
  category: Schema.optionalKey(oneOf(...recipientCategories)).annotate({
    description: "Only recipients of this category; `recipients`, the whole audience, when absent",
  }),
}).annotate({ identifier: "BeginBlastRecipientsExport" })

export const BlastExportsApi = HttpApiGroup.make("blastExports")
  .add(
    HttpApiEndpoint.post("begin", "/v1/email-blasts/:blastId/contacts/export", {
      params: { blastId: BlastId },
      payload: [BeginRecipientsExport, Schema.Undefined],
      success: ExportBegun,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Export a blast's recipients")
      .annotate(
        OpenApi.Description,
        "Writes the recipients into a CSV file, as they are at one moment after the call. Follow it until it is completed",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/email-blasts/:blastId/contacts/export/:exportId", {
      params: { blastId: BlastId, exportId: ExportId },
      success: FollowedExport,
      error: errors("not_found", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Read an export of recipients")
      .annotate(
        OpenApi.Description,
        "How far the export is. When it is completed, `download_url` is signed anew at each call and valid for an hour; the file is kept for 24 hours.",
      ),
  )
