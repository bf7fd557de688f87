// The endpoints of the bulk creation of tents.
import { BulkJobId } from "@tentpole/core/kernel/Ids"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../../Endpoint.ts"
import { BulkAdmission, CreateBulk, FollowedBulkJob } from "./BulkTentWire.ts"

export const BulkTentsApi = Endpoint.group("bulkTents", "Creation of up to 25 tents from one template.").add(
  Endpoint.post("create", "/v1/tents/bulk", {
    summary: "Create up to 25 tents",
    description:
      "Creates up to 25 tents from one template. Items are validated independently: an invalid item, or one without a remaining credit, is rejected and the others continue. Each accepted item costs one credit, which is refunded if its generation fails.",
    payload: CreateBulk,
    success: BulkAdmission.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "template_not_approved"],
  }),
  Endpoint.get("find", "/v1/bulk-jobs/:bulkJobId", {
    summary: "Get a bulk job",
    description:
      "Returns the admission result and the progress of each accepted item. The status is `accepted` until the first item starts, and `completed` when no item remains. Tents that were deleted meanwhile count neither as completed nor as failed.",
    params: { bulkJobId: BulkJobId },
    success: FollowedBulkJob,
    errors: ["not_found"],
  }),
)
