// The endpoints of the bulk creation of tents, and their schemas.
import { reasonings } from "@tentpole/core/ports/Ai"
import { BulkJobId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import {
  bulk_items_max,
  type BulkProgress,
  type BulkResult,
  type CountedBulkJob,
  metadata_length_max,
  prefix_length_max,
  start_index_max,
} from "@tentpole/core/tents/bulk/Bulk"
import { BulkItemShape, readBulkItem } from "@tentpole/core/tents/bulk/BulkItem"
import type { NewBulk, BulkJobView } from "@tentpole/core/tents/bulk/BulkTents"
import { tentStatuses } from "@tentpole/core/tents/Tent"
import { Schema, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../../Endpoint.ts"
import {
  cursorQuery,
  InstantWire,
  item,
  listing,
  oneOf,
  polled,
  pollHeaders,
  Text,
  toCamelCase,
  toSnakeCase,
} from "../../../Wire.ts"
import { ofPublication, PublicationWire } from "../TentsApi.ts"

const size = { message: `must have 1 to ${bulk_items_max} items` }
const startIndexRange = { message: `must be a whole number from 0 to ${start_index_max}` }
const name = Text(prefix_length_max, 1)

const Metadata = Schema.Record(Schema.String, Schema.Any)

const BulkItem = item<typeof BulkItemShape.Encoded>(BulkItemShape).annotate({
  identifier: "BulkTentItem",
  description: "`input_data` or `instructions` is required",
})

const CreateBulk = Schema.Struct({
  template_id: TentTemplateId.annotate({ description: "The approved template of all items" }),
  items: Schema.Array(BulkItem).check(Schema.isMinLength(1, size), Schema.isMaxLength(bulk_items_max, size)),
  client_job_descriptor: Schema.optionalKey(name),
  default_tent_name_prefix: Schema.optionalKey(
    name.annotate({ description: "Items without `tent_name` are named `Prefix (N)`", examples: ["Spring sale"] }),
  ),
  start_index: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: start_index_max }, startIndexRange)).annotate({
      description: "N of the first item; it increases with every item. Default: 1",
    }),
  ),
  auto_publish: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Publishes each page when it is generated. Needs the role `sender`" }),
  ),
  reasoning: Schema.optionalKey(oneOf(...reasonings)),
  metadata: Schema.optionalKey(
    Metadata.check(
      Schema.makeFilter(
        (value: object) =>
          JSON.stringify(value).length <= metadata_length_max ||
          `must have at most ${metadata_length_max} characters as JSON`,
      ),
    ).annotate({ description: "Returned unchanged" }),
  ),
}).annotate({ identifier: "CreateBulkTents" })

const place = {
  index: Schema.Int.annotate({ description: "Position in the request, from 0" }),
  client_item_id: Schema.NullOr(Schema.String),
  tent_name: Schema.NullOr(Schema.String),
  custom_page_alias: Schema.NullOr(Schema.String).annotate({
    description: "The requested alias. If two items have the same alias, the second one gets the suffix -2",
  }),
}

const Rejected = Schema.Struct({
  ...place,
  tent_id: Schema.Null,
  status: Schema.Literal("rejected"),
  error_code: Schema.Literals(["INVALID_ITEM", "NOT_FOUND", "INSUFFICIENT_CREDITS"]),
  message: Schema.String,
}).annotate({ identifier: "RejectedBulkItem" })

const accepted = { ...place, tent_id: TentId, status: Schema.Literal("accepted") }

const Accepted = Schema.Struct(accepted).annotate({ identifier: "AcceptedBulkItem" })

const Followed = Schema.Struct({
  ...accepted,
  tent_status: Schema.Literals([...tentStatuses, "deleted"]),
  publication: Schema.optionalKey(PublicationWire),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why the generation failed" })),
}).annotate({ identifier: "FollowedBulkItem" })

const job = {
  bulk_job_id: BulkJobId,
  status: oneOf("accepted", "running", "completed"),
  template_id: TentTemplateId,
  auto_publish: Schema.Boolean,
  accepted_count: Schema.Int,
  rejected_count: Schema.Int,
  metadata: Schema.NullOr(Metadata),
  created_at: InstantWire,
}

const BulkAdmission = Schema.Struct({
  ...job,
  items: Schema.Array(Schema.Union([Accepted, Rejected])),
}).annotate({
  identifier: "BulkAdmission",
})

const BulkJobWire = Schema.Struct({
  ...job,
  completed_count: Schema.Int,
  failed_count: Schema.Int,
  items: Schema.Array(Schema.Union([Followed, Rejected])),
}).annotate({ identifier: "BulkJob" })

const ListedBulkJob = Schema.Struct({
  ...job,
  completed_count: Schema.Int,
  failed_count: Schema.Int,
}).annotate({ identifier: "ListedBulkJob" })

/** With the seconds until the next poll, until it is completed. */
const FollowedBulkJob = HttpApiSchema.WithHeaders(BulkJobWire, pollHeaders)

export const BulkTentsApi = Endpoint.group("bulkTents", "Creation of up to 25 tents from one template.").add(
  Endpoint.post("create", "/v1/tents/bulk", {
    needs: "editor",
    summary: "Create up to 25 tents",
    description:
      "Creates up to 25 tents from one template. Items are validated independently: an invalid item, or one without a remaining credit, is rejected and the others continue. Each accepted item costs one credit, which is refunded if its generation fails.",
    payload: CreateBulk,
    success: BulkAdmission.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "template_not_approved"],
  }),
  Endpoint.get("list", "/v1/bulk-jobs", {
    needs: "viewer",
    summary: "List bulk jobs",
    description: "Returns the bulk jobs with their counts, the newest first. Get a job for its items.",
    query: cursorQuery,
    success: listing({ bulk_jobs: Schema.Array(ListedBulkJob) }),
    errors: ["invalid_cursor"],
  }),
  Endpoint.get("find", "/v1/bulk-jobs/:bulkJobId", {
    needs: "viewer",
    summary: "Get a bulk job",
    description:
      "Returns the admission result and the progress of each accepted item. The status is `accepted` until the first item starts, and `completed` when no item remains. Tents that were deleted meanwhile count neither as completed nor as failed.",
    success: FollowedBulkJob,
  }),
)

export const toNewBulk = ({ items, ...body }: typeof CreateBulk.Type, createdByName: string): NewBulk => {
  const autoPublish = body.auto_publish ?? false
  return {
    clientJobDescriptor: null,
    defaultTentNamePrefix: null,
    startIndex: 1,
    reasoning: null,
    metadata: null,
    ...toCamelCase(body),
    autoPublish,
    createdByName,
    items: items.map((each) => readBulkItem(each, { autoPublish })),
  }
}

const count = (items: ReadonlyArray<BulkResult>, status: BulkResult["status"]): number =>
  items.filter((each) => each.status === status).length

export const toListedBulkJob = ({
  job: it,
  progress,
}: {
  readonly job: CountedBulkJob
  readonly progress: BulkProgress
}): typeof ListedBulkJob.Type => ({
  bulk_job_id: it.id,
  ...toSnakeCase(Struct.pick(it, ["templateId", "autoPublish", "metadata", "createdAt"])),
  ...Struct.pick(it, ["accepted_count", "rejected_count"]),
  ...progress,
})

const commonOf = ({ job: it, progress }: BulkJobView) => ({
  bulk_job_id: it.id,
  ...toSnakeCase(Struct.pick(it, ["templateId", "autoPublish", "metadata", "createdAt"])),
  status: progress.status,
  accepted_count: count(it.items, "accepted"),
  rejected_count: count(it.items, "rejected"),
})

const placeOf = ({ index, clientItemId, tentName, customPageAlias }: BulkResult) =>
  toSnakeCase({ index, clientItemId, tentName, customPageAlias })

const toRejected = (it: Extract<BulkResult, { readonly status: "rejected" }>): typeof Rejected.Type => ({
  ...placeOf(it),
  tent_id: null,
  status: it.status,
  error_code: it.code,
  message: it.message,
})

export const toAdmission = (shown: BulkJobView): typeof BulkAdmission.Type => ({
  ...commonOf(shown),
  items: shown.job.items.map((it) =>
    it.status === "rejected" ? toRejected(it) : { ...placeOf(it), tent_id: it.tentId, status: it.status },
  ),
})

const toFollowedItem = (it: Extract<BulkResult, { readonly status: "accepted" }>, shown: BulkJobView) => {
  const found = shown.tents.find(({ tent }) => tent.id === it.tentId)
  const generation = found?.tent.generation
  return {
    ...placeOf(it),
    tent_id: it.tentId,
    status: it.status,
    tent_status: generation?.status ?? ("deleted" as const),
    ...(found === undefined ? {} : ofPublication(found)),
    ...(generation?.status === "failed" ? { error: generation.error } : {}),
  }
}

export const toBulkJobWire = (shown: BulkJobView): typeof BulkJobWire.Type => ({
  ...commonOf(shown),
  completed_count: shown.progress.completed_count,
  failed_count: shown.progress.failed_count,
  items: shown.job.items.map((it) => (it.status === "rejected" ? toRejected(it) : toFollowedItem(it, shown))),
})

export const toFollowed = (shown: BulkJobView) => polled(toBulkJobWire(shown), shown.progress.status !== "completed")
