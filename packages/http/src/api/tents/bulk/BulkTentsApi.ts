// The calls that make tents many at a time.
import { BulkJobId } from "@tentpole/core/kernel/Ids"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../../edge/Errors.ts"
import { BulkAdmission, CreateBulk, FollowedBulkJob } from "./BulkTentWire.ts"

export const BulkTentsApi = HttpApiGroup.make("bulkTents")
  .add(
    HttpApiEndpoint.post("create", "/v1/tents/bulk", {
      payload: CreateBulk,
      success: BulkAdmission.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "template_not_approved"),
    })
      .annotate(OpenApi.Summary, "Create up to 25 tents")
      .annotate(
        OpenApi.Description,
        "Makes up to 25 tents from one template. Items are judged one by one: what is wrong with one, or a credit that is missing for it, rejects that one, and the rest goes on. Each accepted item takes a credit, given back if its generation fails.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/bulk-jobs/:bulkJobId", {
      params: { bulkJobId: BulkJobId },
      success: FollowedBulkJob,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a bulk job")
      .annotate(
        OpenApi.Description,
        "The admission, and how far each accepted item is. `accepted` until the first is begun, `completed` when none is left to do. A tent that was deleted meanwhile counts neither as completed nor as failed.",
      ),
  )
