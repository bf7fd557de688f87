// The endpoints of email blasts and of exports of their recipients.
import { OffsetInstant } from "@tentpole/core/contacts/values/OffsetInstant"
import { blast_description_length_max, blast_name_length_max, blastStatuses } from "@tentpole/core/blasts/Blast"
import { blastSorts, recipientCategories, recipientSorts } from "@tentpole/core/blasts/BlastStore"
import { blockReasons, failureReasons } from "@tentpole/core/sending/Delivery"
import { link_index_max } from "@tentpole/core/rendering/Links"
import { BlastId, ContactId, ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { contact_ids_max } from "@tentpole/core/lists/List"
import { ListDescription, ListName } from "@tentpole/core/lists/ListName"
import { RuleInput } from "@tentpole/core/segments/RuleSchema"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { nothing, oneOf, orderParameter, pageQuery, searchParameter, Text, whole } from "../../Wire.ts"
import { SetEmail } from "../emails/EmailChoiceWire.ts"
import { exportEndpoints } from "../exports/ExportEndpoints.ts"
import { BlastProgressWire, BlastReportWire } from "./FiguresWire.ts"
import { AuditWire, BlastsWire, BlastWire, DryRunWire, RecipientsWire } from "./BlastWire.ts"

const Name = Text(blast_name_length_max, 1)
const Description = Schema.NullOr(Text(blast_description_length_max))

const Topic = Schema.optionalKey(Schema.NullOr(TopicId)).annotate({
  description: "Sent to subscribers of the topic only; null: all marketing",
})

export const CreateBlast = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Description),
  topic_id: Topic,
}).annotate({ identifier: "CreateBlast" })

export const UpdateBlast = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: Schema.optionalKey(Description).annotate({ description: "null clears it" }),
  topic_id: Topic,
})
  .check(
    Schema.makeFilter(
      ({ description, name, topic_id }) =>
        name !== undefined ||
        description !== undefined ||
        topic_id !== undefined ||
        "must have name, description or topic_id",
    ),
  )
  .annotate({ identifier: "UpdateBlast" })

const inlineName = Schema.optionalKey(ListName).annotate({ description: "Default: derived from the name of the blast" })

export const SetAudience = Schema.Union([
  Schema.Struct({
    source: Schema.Literal("existing"),
    list_id: ListId,
  }).annotate({ identifier: "ExistingAudience", description: "An existing list" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    kind: Schema.Literal("static"),
    contact_ids: Schema.Array(ContactId).check(
      Schema.isMaxLength(contact_ids_max, { message: `must have at most ${contact_ids_max} ids` }),
    ),
    name: inlineName,
    description: Schema.optionalKey(Schema.NullOr(ListDescription)),
  }).annotate({ identifier: "InlineStaticAudience", description: "A static list of these contacts" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    kind: Schema.Literal("dynamic"),
    rules: RuleInput,
    name: inlineName,
    description: Schema.optionalKey(Schema.NullOr(ListDescription)),
  }).annotate({
    identifier: "InlineDynamicAudience",
    description: "A dynamic list of the contacts that match the rules when sending begins",
  }),
]).annotate({
  identifier: "SetBlastAudience",
  message:
    "must be {source: existing, list_id}, {source: inline, kind: static, contact_ids} or {source: inline, kind: dynamic, rules}",
})

export const SendNow = Schema.Struct({
  operational: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Sends as transactional mail: unsubscribed contacts are included and there is no footer",
  }),
}).annotate({ identifier: "SendBlastNow" })

export const ScheduleBlast = Schema.Struct({
  scheduled_at: OffsetInstant.annotate({
    description: "A time in the future. The version that is approved now is sent",
  }),
  operational: SendNow.fields.operational,
}).annotate({ identifier: "ScheduleBlast" })

export const DryRunBlast = Schema.Struct({
  operational: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Checks it as transactional mail. Default: the setting of a scheduled blast; false for a draft",
  }),
}).annotate({ identifier: "DryRunBlast" })

export const RetryFailed = Schema.Struct({
  include_unconfirmed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Includes recipients with an unknown outcome. Some of them may get the message twice",
  }),
}).annotate({ identifier: "RetryFailedRecipients" })

const listQuery = {
  ...pageQuery,
  status: Schema.optionalKey(oneOf(...blastStatuses, "any")),
  search: searchParameter,
  sort_by: Schema.optionalKey(oneOf(...blastSorts)),
  sort_order: orderParameter,
}

const recipientQuery = {
  ...pageQuery,
  category: Schema.optionalKey(oneOf(...recipientCategories)),
  domain: Schema.optionalKey(Text(255, 1)),
  reason: Schema.optionalKey(oneOf(...blockReasons, ...failureReasons)),
  link_index: Schema.optionalKey(whole(0, link_index_max)),
  search: searchParameter,
  sort: Schema.optionalKey(oneOf(...recipientSorts)),
  order: orderParameter,
}

const Deleted = Schema.Struct({ blast_id: BlastId, deleted: Schema.Literal(true) }).annotate({
  identifier: "BlastDeleted",
})

/** A use case without input, which the blast's status may refuse. */
const action = { payload: nothing, success: BlastWire, errors: ["not_found", "invalid_state"] } as const

export const BlastsApi = Endpoint.group(
  "blasts",
  "Blasts: one email to an audience, sent now or at a scheduled time.",
).add(
  Endpoint.get("list", "/v1/email-blasts", {
    needs: "viewer",
    summary: "List blasts",
    description:
      "Returns a page of blasts, the most recently updated first by default. Archived blasts are included only when `status` is `archived` or `any`. Drafts have no `approval_readiness` here; get the blast to read it.",
    query: listQuery,
    success: BlastsWire,
  }),
  Endpoint.post("create", "/v1/email-blasts", {
    needs: "editor",
    summary: "Create a blast",
    description:
      "Creates a draft without an audience or an email. Set both, approve the email, and then schedule or send the blast.",
    payload: CreateBlast,
    success: BlastWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "not_found", "topic_archived"],
  }),
  Endpoint.get("find", "/v1/email-blasts/:blastId", {
    needs: "viewer",
    summary: "Get a blast",
    description:
      "Returns the blast with its counts. For a draft, `approval_readiness` lists what is missing before it can be sent.",
    success: BlastWire,
  }),
  Endpoint.patch("update", "/v1/email-blasts/:blastId", {
    needs: "editor",
    summary: "Update a blast",
    description: "Changes the name or the description of a blast in any status, and the topic of a draft.",
    payload: UpdateBlast,
    success: BlastWire,
    errors: ["not_found", "validation_failed", "invalid_state", "topic_archived"],
  }),
  Endpoint.delete("remove", "/v1/email-blasts/:blastId", {
    needs: "editor",
    summary: "Delete a blast",
    description:
      "Deletes the blast with its recipients and its inline audience. Its inline email is not deleted. Timelines no longer show its messages as sent and delivered. A blast that is being sent must be cancelled first.",
    success: Deleted,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.put("setAudience", "/v1/email-blasts/:blastId/audience", {
    needs: "editor",
    summary: "Set a blast's audience",
    description:
      "Sets the audience of a draft and replaces the previous one. The audience is an existing list, or an inline list created from contact ids or rules. The recipients are fixed when sending begins.",
    payload: SetAudience,
    success: BlastWire,
    errors: ["not_found", "invalid_state", "validation_failed", "contact_list_name_exists"],
  }),
  Endpoint.put("setEmail", "/v1/email-blasts/:blastId/email", {
    needs: "editor",
    summary: "Set a blast's email",
    description:
      "Sets the email of a draft. The email is an existing one, or an inline one created from HTML, from an approved template, or blank. An inline email is a draft and must be approved separately.",
    payload: SetEmail,
    success: BlastWire,
    errors: ["not_found", "invalid_state", "validation_failed", "payload_too_large", "template_not_approved"],
  }),
  Endpoint.post("sendNow", "/v1/email-blasts/:blastId/send-now", {
    needs: "sender",
    summary: "Send a blast now",
    description:
      "Fixes the audience and starts to send the approved version. Poll `GET /v1/email-blasts/{blastId}` for progress: `details` holds the counts. No recipient gets the message twice. With `four_eyes` another person than the approver of the email has to send.",
    payload: [SendNow, Schema.Undefined],
    success: BlastWire.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "invalid_state", "campaign_not_ready", "another_person_needed", "free_plan_email_limit"],
  }),
  Endpoint.post("schedule", "/v1/email-blasts/:blastId/schedule", {
    needs: "sender",
    summary: "Schedule a blast",
    description:
      "Schedules the blast. Sending starts within two seconds of `scheduled_at`. If the service was down and the time was missed by more than a day, the blast becomes a draft again with the warning `schedule_missed`. With `four_eyes` another person than the approver of the email has to schedule.",
    payload: ScheduleBlast,
    success: BlastWire,
    errors: ["not_found", "invalid_state", "validation_failed", "campaign_not_ready", "another_person_needed"],
  }),
  Endpoint.post("unschedule", "/v1/email-blasts/:blastId/unschedule", {
    needs: "sender",
    ...action,
    summary: "Unschedule a blast",
    description: "Cancels the schedule. The blast becomes a draft again, without a time and without a locked version.",
  }),
  Endpoint.post("archive", "/v1/email-blasts/:blastId/archive", {
    needs: "editor",
    ...action,
    summary: "Archive a blast",
    description: "Archives a blast that is not being sent. A scheduled blast that is archived is not sent.",
  }),
  Endpoint.post("duplicate", "/v1/email-blasts/:blastId/duplicate", {
    needs: "editor",
    summary: "Duplicate a blast",
    description:
      "Creates a draft with the same description, topic, audience and email. Inline lists and inline emails are copied, others are shared.",
    payload: nothing,
    success: BlastWire.pipe(HttpApiSchema.status(201)),
    errors: ["not_found", "contact_list_name_exists"],
  }),
  Endpoint.post("dryRun", "/v1/email-blasts/:blastId/dry-run", {
    needs: "viewer",
    summary: "Dry-run a blast",
    description:
      "Returns what sending the blast at this moment would do, without sending it. The blast must be a draft or scheduled, and have an audience and an email.",
    payload: [DryRunBlast, Schema.Undefined],
    success: DryRunWire,
    errors: ["not_found", "invalid_state", "campaign_not_ready"],
  }),
  Endpoint.post("retryFailed", "/v1/email-blasts/:blastId/retry-failed", {
    needs: "sender",
    summary: "Retry failed recipients",
    description:
      "Sends the message again to recipients that failed for a temporary reason. Recipients that were reached or have an invalid address are not retried.",
    payload: [RetryFailed, Schema.Undefined],
    success: BlastWire.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "invalid_state", "campaign_not_ready", "free_plan_email_limit"],
  }),
  Endpoint.post("pause", "/v1/email-blasts/:blastId/pause", {
    needs: "sender",
    ...action,
    summary: "Pause a blast",
    description:
      "Stops handing messages to the mail server. Messages that were already handed over are completed. The status stays `sending`, with `paused: true`.",
  }),
  Endpoint.post("resume", "/v1/email-blasts/:blastId/resume", {
    needs: "sender",
    ...action,
    summary: "Resume a blast",
    description: "Continues a paused blast. No recipient is skipped and none gets the message twice.",
  }),
  Endpoint.post("cancel", "/v1/email-blasts/:blastId/cancel", {
    needs: "sender",
    ...action,
    summary: "Cancel a blast",
    description:
      "Cancels a scheduled or sending blast. No more messages are handed to the mail server. The remaining recipients are `blocked` with the reason `cancelled`.",
  }),
  Endpoint.get("progress", "/v1/email-blasts/:blastId/progress", {
    needs: "viewer",
    summary: "Get a blast's progress",
    description:
      "Returns how far the blast has been sent, how fast it is, what it waits for, and why it has stalled. Poll it once a second at most.",
    success: BlastProgressWire,
  }),
  Endpoint.get("report", "/v1/email-blasts/:blastId/report", {
    needs: "viewer",
    summary: "Get a blast's report",
    description:
      "Returns the figures of the blast over time, by link, by recipient domain and by reason. They stay when an installation deletes the recipients of old blasts. For the totals see `details` of the blast.",
    success: BlastReportWire,
  }),
  Endpoint.get("audit", "/v1/email-blasts/:blastId/audit", {
    needs: "viewer",
    summary: "Audit a blast",
    description:
      "Checks that each recipient of the audience is accounted for and got at most one message, and counts the recipients by outcome. It reads every recipient: call it once a blast has ended, not to follow it.",
    success: AuditWire,
  }),
  Endpoint.get("recipients", "/v1/email-blasts/:blastId/contacts", {
    needs: "viewer",
    summary: "List a blast's recipients",
    description:
      "Returns the recipients that the audience contained when sending began, with the outcome of each message. Filter them with `category`, `domain`, `reason` and `link_index`: `category=opened`, or `link_index=0` for those that clicked the first link. An installation may delete the recipients of old blasts: `items` is then empty, and the blast's statistics stay.",
    query: recipientQuery,
    success: RecipientsWire,
  }),
)

const BeginRecipientsExport = Schema.Struct({
  category: Schema.optionalKey(oneOf(...recipientCategories)).annotate({
    description: "Exports only recipients of this category. Default: `recipients`, the whole audience",
  }),
}).annotate({ identifier: "BeginBlastRecipientsExport" })

export const BlastExportsApi = Endpoint.group("blastExports", "Exports of blast recipients as CSV.").add(
  ...exportEndpoints({
    path: "/v1/email-blasts/:blastId/contacts/export",
    payload: BeginRecipientsExport,
    exported: "a blast's recipients",
  }),
)
