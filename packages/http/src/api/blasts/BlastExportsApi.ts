// The endpoints that export the recipients of a blast.
import { recipientCategories } from "@tentpole/core/blasts/BlastStore"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { oneOf } from "../../Wire.ts"
import { exportEndpoints } from "../exports/ExportEndpoints.ts"

export const BeginRecipientsExport = Schema.Struct({
  category: Schema.optionalKey(oneOf(...recipientCategories)).annotate({
    description: "Exports only recipients of this category. Default: `recipients`, the whole audience",
  }),
}).annotate({ identifier: "BeginBlastRecipientsExport" })

export const BlastExportsApi = Endpoint.group("blastExports", "Exports of blast recipients as CSV.").add(
  ...exportEndpoints({
    path: "/v1/email-blasts/:blastId/contacts/export",
    params: { blastId: BlastId },
    payload: BeginRecipientsExport,
    exported: "a blast's recipients",
  }),
)
