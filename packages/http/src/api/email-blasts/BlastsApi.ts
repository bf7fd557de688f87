// The endpoints of email blasts.
import { blast_description_length_max, blast_name_length_max, blastStatuses } from "@tentpole/core/blasts/Blast"
import { blastSorts, recipientCategories, recipientSorts } from "@tentpole/core/blasts/BlastStore"
import { BlastId, ContactId, EmailId, EmailTemplateId, ListId } from "@tentpole/core/Ids"
import { EmailName, FromName, PreviewText, SenderAddress, Subject } from "@tentpole/core/emails/EmailFields"
import { contact_ids_max } from "@tentpole/core/lists/List"
import { ListDescription, ListName } from "@tentpole/core/lists/ListName"
import { RuleInput } from "@tentpole/core/segments/RuleSchema"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { errors } from "../../Errors.ts"
import { Nothing, oneOf, orderParameter, pageQuery, searchParameter, Text } from "../../Wire.ts"
import { BlastsWire, BlastWire, RecipientsWire } from "./BlastWire.ts"

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

export const SetEmail = Schema.Union([
  Schema.Struct({ source: Schema.Literal("existing"), email_id: EmailId }).annotate({ identifier: "ExistingEmail" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    name: Schema.optionalKey(EmailName),
    subject: Schema.optionalKey(Subject),
    template_id: Schema.optionalKey(EmailTemplateId).annotate({
      description: "An approved email template, whose HTML and defaults it begins with; not together with `html`",
    }),
    html: Schema.optionalKey(Schema.String).annotate({
      description: "At most 2 MB; not together with `template_id`. With neither, a blank branded scaffold",
    }),
    preview_text: Schema.optionalKey(PreviewText),
    from_name: Schema.optionalKey(FromName),
    from_address: Schema.optionalKey(SenderAddress),
    reply_to_email: Schema.optionalKey(SenderAddress),
  })
    .check(
      Schema.makeFilter(
        ({ html, template_id }) =>
          html === undefined ||
          template_id === undefined || { path: ["template_id"], issue: "can't stand together with html" },
      ),
    )
    .annotate({ identifier: "InlineEmail", description: "Begins as a draft: approve it by its `email_id`" }),
]).annotate({
  identifier: "SetBlastEmail",
  message: "must be {source: existing, email_id} or {source: inline, …}",
})

export const SendNow = Schema.Struct({
  operational: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Send as transactional mail: the unsubscribed are not left out, and there is no footer",
  }),
}).annotate({ identifier: "SendBlastNow" })

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
  .add(HttpApiEndpoint.get("list", "/v1/email-blasts", { query: listQuery, success: BlastsWire }))
  .add(
    HttpApiEndpoint.post("create", "/v1/email-blasts", {
      payload: CreateBlast,
      success: BlastWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed"),
    }),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/email-blasts/:blastId", {
      params,
      success: BlastWire,
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/email-blasts/:blastId", {
      params,
      payload: UpdateBlast,
      success: BlastWire,
      error: errors("not_found", "validation_failed"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/email-blasts/:blastId", {
      params,
      success: Deleted,
      error: errors("not_found", "invalid_state"),
    }),
  )
  .add(
    HttpApiEndpoint.put("setAudience", "/v1/email-blasts/:blastId/audience", {
      params,
      payload: SetAudience,
      success: BlastWire,
      error: errors("not_found", "invalid_state", "validation_failed", "contact_list_name_exists"),
    }),
  )
  .add(
    HttpApiEndpoint.put("setEmail", "/v1/email-blasts/:blastId/email", {
      params,
      payload: SetEmail,
      success: BlastWire,
      error: errors("not_found", "invalid_state", "validation_failed", "payload_too_large", "template_not_approved"),
    }),
  )
  .add(
    HttpApiEndpoint.post("sendNow", "/v1/email-blasts/:blastId/send-now", {
      params,
      payload: [SendNow, Schema.Undefined],
      success: BlastWire.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "invalid_state", "campaign_not_ready", "free_plan_email_limit"),
    }),
  )
  .add(
    HttpApiEndpoint.post("pause", "/v1/email-blasts/:blastId/pause", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    }),
  )
  .add(
    HttpApiEndpoint.post("resume", "/v1/email-blasts/:blastId/resume", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    }),
  )
  .add(
    HttpApiEndpoint.post("cancel", "/v1/email-blasts/:blastId/cancel", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: BlastWire,
      error: errors("not_found", "invalid_state"),
    }),
  )
  .add(
    HttpApiEndpoint.get("recipients", "/v1/email-blasts/:blastId/contacts", {
      params,
      query: recipientQuery,
      success: RecipientsWire,
      error: errors("not_found"),
    }),
  )
