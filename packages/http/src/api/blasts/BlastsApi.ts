// The endpoints of email blasts.
import { blast_description_length_max, blast_name_length_max, blastStatuses } from "@tentpole/core/blasts/Blast"
import { blastSorts, recipientCategories, recipientSorts } from "@tentpole/core/blasts/BlastStore"
import { BlastId, ContactId, ListId } from "@tentpole/core/kernel/Ids"
import { contact_ids_max } from "@tentpole/core/lists/List"
import { ListDescription, ListName } from "@tentpole/core/lists/ListName"
import { RuleInput } from "@tentpole/core/segments/RuleSchema"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { Nothing, OffsetInstant, oneOf, orderParameter, pageQuery, searchParameter, Text } from "../../Wire.ts"
import { SetEmail } from "../emails/EmailChoiceWire.ts"
import { BlastsWire, BlastWire, RecipientsWire } from "./BlastWire.ts"
import { DryRunWire } from "./DryRunWire.ts"

const params = { blastId: BlastId }

const Name = Text(blast_name_length_max, 1)
const Description = Schema.NullOr(Text(blast_description_length_max))

export const CreateBlast = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Description),
}).annotate({ identifier: "CreateBlast" })

export const UpdateBlast = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: Schema.optionalKey(Description).annotate({ description: "null clears it" }),
})
  .check(
    Schema.makeFilter(
      ({ name, description }) => name !== undefined || description !== undefined || "must have `name` or `description`",
    ),
  )
  .annotate({ identifier: "UpdateBlast" })

const inlineName = Schema.optionalKey(ListName).annotate({ description: "Derived from the blast's when left out" })

export const SetAudience = Schema.Union([
  Schema.Struct({
    source: Schema.Literal("existing"),
    list_id: ListId,
  }).annotate({ identifier: "ExistingAudience", description: "A list that is there" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    kind: Schema.Literal("static"),
    contact_ids: Schema.Array(ContactId).check(
      Schema.isMaxLength(contact_ids_max, { message: `must have at most ${contact_ids_max} ids` }),
    ),
    name: inlineName,
    description: Schema.optionalKey(Schema.NullOr(ListDescription)),
  }).annotate({ identifier: "InlineStaticAudience", description: "These contacts" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    kind: Schema.Literal("dynamic"),
    rules: RuleInput,
    name: inlineName,
    description: Schema.optionalKey(Schema.NullOr(ListDescription)),
  }).annotate({ identifier: "InlineDynamicAudience", description: "Whom the rules hold for when sending begins" }),
]).annotate({
  identifier: "SetBlastAudience",
  message:
    "must be {source: existing, list_id}, {source: inline, kind: static, contact_ids} or {source: inline, kind: dynamic, rules}",
})

export const SendNow = Schema.Struct({
  operational: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Send as transactional mail: the unsubscribed are not left out, and there is no footer",
  }),
}).annotate({ identifier: "SendBlastNow" })

export const ScheduleBlast = Schema.Struct({
  scheduled_at: OffsetInstant.annotate({ description: "In the future. What is approved now is what will be sent" }),
  operational: SendNow.fields.operational,
}).annotate({ identifier: "ScheduleBlast" })

export const DryRunBlast = Schema.Struct({
  operational: Schema.optionalKey(Schema.Boolean).annotate({
    description: "As it would be sent; left out, a scheduled blast as it says, and a draft as marketing",
  }),
}).annotate({ identifier: "DryRunBlast" })

export const RetryFailed = Schema.Struct({
  include_unconfirmed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Also those of whom nobody knows whether they were reached: some of them get a second message",
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
  search: searchParameter,
  sort: Schema.optionalKey(oneOf(...recipientSorts)),
  order: orderParameter,
}

const Deleted = Schema.Struct({ blast_id: BlastId, deleted: Schema.Literal(true) }).annotate({
  identifier: "BlastDeleted",
})

export const BlastsApi = HttpApiGroup.make("blasts")
  .add(
    HttpApiEndpoint.get("list", "/v1/email-blasts", { query: listQuery, success: BlastsWire })
      .annotate(OpenApi.Summary, "List blasts")
      .annotate(
        OpenApi.Description,
        "Blasts, the last changed first unless asked otherwise. Archived ones are shown when `status` asks for them (`archived`, `any`).",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/email-blasts", {
      payload: CreateBlast,
      success: BlastWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed"),
    })
      .annotate(OpenApi.Summary, "Create a blast")
      .annotate(
        OpenApi.Description,
        "Makes a draft without audience and email. Set both, have the email approved, and then schedule it or send it.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/email-blasts/:blastId", {
      params,
      success: BlastWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a blast")
      .annotate(
        OpenApi.Description,
        "The blast with its counts. A draft says in `approval_readiness` what it lacks before it can be sent.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/email-blasts/:blastId", {
      params,
      payload: UpdateBlast,
      success: BlastWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Edit a blast")
      .annotate(OpenApi.Description, "Changes name and description, whatever the blast's state."),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/email-blasts/:blastId", {
      params,
      success: Deleted,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Delete a blast")
      .annotate(
        OpenApi.Description,
        "Deletes the blast with its recipients and inline audience; its inline email stays. One that is being sent has to be cancelled first.",
      ),
  )
  .add(
    HttpApiEndpoint.put("setAudience", "/v1/email-blasts/:blastId/audience", {
      params,
      payload: SetAudience,
      success: BlastWire,
      error: errors("not_found", "invalid_state", "validation_failed", "contact_list_name_exists"),
    })
      .annotate(OpenApi.Summary, "Set a blast's audience")
      .annotate(
        OpenApi.Description,
        "Says whom a draft goes to: a list that is there, or one made for this blast of ids or of rules. It takes the place of the one before. Who is in it is fixed when sending begins.",
      ),
  )
  .add(
    HttpApiEndpoint.put("setEmail", "/v1/email-blasts/:blastId/email", {
      params,
      payload: SetEmail,
      success: BlastWire,
      error: errors("not_found", "invalid_state", "validation_failed", "payload_too_large", "template_not_approved"),
    })
      .annotate(OpenApi.Summary, "Set a blast's email")
      .annotate(
        OpenApi.Description,
        "Says what a draft sends: an email that is there, or one made for this blast from HTML, an approved template, or blank. An inline email is a draft, to be approved by its own call.",
      ),
  )
  .add(
    HttpApiEndpoint.post("sendNow", "/v1/email-blasts/:blastId/send-now", {
      params,
      payload: [SendNow, Schema.Undefined],
      success: BlastWire.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "invalid_state", "campaign_not_ready", "free_plan_email_limit"),
    })
      .annotate(OpenApi.Summary, "Send a blast now")
      .annotate(
        OpenApi.Description,
        "Fixes the audience and begins to send what is approved now. Follow it with `GET /v1/email-blasts/{blastId}`: `details` counts recipients while they are settled. Nobody is mailed twice.",
      ),
  )
  .add(
    HttpApiEndpoint.post("schedule", "/v1/email-blasts/:blastId/schedule", {
      params,
      payload: ScheduleBlast,
      success: BlastWire,
      error: errors("not_found", "invalid_state", "validation_failed", "campaign_not_ready"),
    })
      .annotate(OpenApi.Summary, "Schedule a blast")
      .annotate(
        OpenApi.Description,
        "Sends it at a time, within two seconds. A time that is missed by more than a day, because the service was down, does not fire any more: the blast is a draft again and warns `schedule_missed`",
      ),
  )
  .add(
    HttpApiEndpoint.post("unschedule", "/v1/email-blasts/:blastId/unschedule", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Take a blast's schedule back")
      .annotate(OpenApi.Description, "Back to a draft, which has no time and no approval of its own"),
  )
  .add(
    HttpApiEndpoint.post("archive", "/v1/email-blasts/:blastId/archive", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Archive a blast")
      .annotate(
        OpenApi.Description,
        "Puts away a blast that is not being sent. A scheduled one does not fire any more",
      ),
  )
  .add(
    HttpApiEndpoint.post("duplicate", "/v1/email-blasts/:blastId/duplicate", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire.pipe(HttpApiSchema.status(201)),
      error: errors("not_found", "contact_list_name_exists"),
    })
      .annotate(OpenApi.Summary, "Copy a blast")
      .annotate(
        OpenApi.Description,
        "A draft with the same description, audience and email. What was made inline is copied, a list or an email of its own right is shared",
      ),
  )
  .add(
    HttpApiEndpoint.post("dryRun", "/v1/email-blasts/:blastId/dry-run", {
      params,
      payload: [DryRunBlast, Schema.Undefined],
      success: DryRunWire,
      error: errors("not_found", "invalid_state", "campaign_not_ready"),
    })
      .annotate(OpenApi.Summary, "Try a blast out")
      .annotate(
        OpenApi.Description,
        "What a send at this moment would do, for a draft or a scheduled blast with audience and email",
      ),
  )
  .add(
    HttpApiEndpoint.post("retryFailed", "/v1/email-blasts/:blastId/retry-failed", {
      params,
      payload: [RetryFailed, Schema.Undefined],
      success: BlastWire.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "invalid_state", "campaign_not_ready", "free_plan_email_limit"),
    })
      .annotate(OpenApi.Summary, "Send again to those who failed")
      .annotate(
        OpenApi.Description,
        "Sends again to recipients that failed for a reason that may pass. Who was reached, or has a bad address, is not among them",
      ),
  )
  .add(
    HttpApiEndpoint.post("pause", "/v1/email-blasts/:blastId/pause", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Pause a sending")
      .annotate(
        OpenApi.Description,
        "Holds what has not been handed to the mail server yet; what was handed over is settled. The status stays `sending`, with `paused: true`.",
      ),
  )
  .add(
    HttpApiEndpoint.post("resume", "/v1/email-blasts/:blastId/resume", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Resume a paused sending")
      .annotate(OpenApi.Description, "Goes on where it was held: nobody is skipped, nobody is mailed twice."),
  )
  .add(
    HttpApiEndpoint.post("cancel", "/v1/email-blasts/:blastId/cancel", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Cancel a blast")
      .annotate(
        OpenApi.Description,
        "Ends a scheduled or sending blast. Nothing more is handed to the mail server; who was not mailed by then is `blocked` with the reason `cancelled`.",
      ),
  )
  .add(
    HttpApiEndpoint.get("recipients", "/v1/email-blasts/:blastId/contacts", {
      params,
      query: recipientQuery,
      success: RecipientsWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "List a blast's recipients")
      .annotate(
        OpenApi.Description,
        "Whom the audience held when sending began, with what became of each message. `category` picks those who were mailed, opened, clicked and so on.",
      ),
  )
