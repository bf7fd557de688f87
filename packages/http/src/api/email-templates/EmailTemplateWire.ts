// An email template as it stands on the wire: its header fields are the `default_*` ones, and no others.
import { FromName, plain_text_length_max, PreviewText, SenderAddress, Subject } from "@tentpole/core/emails/EmailFields"
import { EmailId, EmailTemplateId } from "@tentpole/core/Ids"
import { encodeCursor, type Sliced } from "@tentpole/core/Page"
import type { NewEmailTemplate, EmailTemplatePatch } from "@tentpole/core/templates/EmailTemplates"
import { isPlainTextStale, type MailDefaults, type ShownTemplate } from "@tentpole/core/templates/Template"
import { Schema } from "effect"
import { InstantWire, isoOrNull, readOnly, Text } from "../../Wire.ts"
import {
  generationField,
  generationOf,
  Html,
  Prompt,
  readOnlyFields,
  shownFields,
  TemplateName,
  toShownFields,
} from "../templates/TemplateWire.ts"

const text = Schema.NullOr(Schema.String)

const fields = {
  template_id: EmailTemplateId,
  ...shownFields,
  source_type: Schema.Literals(["upload", "email"]),
  source_email_id: Schema.NullOr(EmailId).annotate({ description: "The email that it began with" }),
  default_subject: text,
  default_preview_text: text.annotate({ description: "Stands in the HTML of the emails made from it, not in its own" }),
  default_from_name: text,
  default_from_address: text,
  default_reply_to_email: text,
  plain_text_overridden: Schema.Boolean,
  plain_text_overridden_at: Schema.NullOr(InstantWire),
  plain_text_stale_after_html_iteration: Schema.Boolean.annotate({
    description: "The HTML changed after the plain text was overridden",
  }),
  plain_text_path: Schema.String.annotate({ description: "Path of the plain-text rendition" }),
}

export const EmailTemplateWire = Schema.Struct(fields).annotate({ identifier: "EmailTemplate" })

/** What answers when the AI has been asked for the first version. */
export const EmailTemplateBegun = Schema.Struct({ ...fields, ...generationField }).annotate({
  identifier: "EmailTemplateBegun",
})

export const EmailTemplatesWire = Schema.Struct({
  templates: Schema.Array(EmailTemplateWire),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "EmailTemplates" })

export const EmailTemplateGeneration = generationOf(EmailTemplateId, "EmailTemplateGeneration")

const defaults = {
  default_subject: Schema.optionalKey(Schema.NullOr(Subject)),
  default_preview_text: Schema.optionalKey(Schema.NullOr(PreviewText)),
  default_from_name: Schema.optionalKey(Schema.NullOr(FromName)),
  default_from_address: Schema.optionalKey(Schema.NullOr(SenderAddress)),
  default_reply_to_email: Schema.optionalKey(Schema.NullOr(SenderAddress)),
}

const readOnlyKeys = {
  ...readOnlyFields,
  source_email_id: readOnly("is read-only: name the email as email_id when you make the template"),
  plain_text_overridden: readOnly(),
  plain_text_overridden_at: readOnly(),
  plain_text_stale_after_html_iteration: readOnly(),
  plain_text_path: readOnly(),
}

export const CreateEmailTemplate = Schema.Struct({
  name: TemplateName,
  ...defaults,
  html: Schema.optionalKey(Html),
  email_id: Schema.optionalKey(
    EmailId.annotate({ description: "Begins with this email's HTML, header fields and plain text" }),
  ),
  prompt: Schema.optionalKey(Prompt),
  ...readOnlyKeys,
}).annotate({
  identifier: "CreateEmailTemplate",
  description: "At most one of `html`, `email_id` and `prompt`; with none of them a blank branded scaffold",
})

export const UpdateEmailTemplate = Schema.Struct({
  name: Schema.optionalKey(TemplateName),
  ...defaults,
  ...readOnlyKeys,
}).annotate({ identifier: "UpdateEmailTemplate", description: "What is left out stays, null clears. Makes no version" })

export const SetPlainText = Schema.Struct({ text: Text(plain_text_length_max) }).annotate({
  identifier: "SetEmailTemplatePlainText",
})

const toDefaults = (body: typeof UpdateEmailTemplate.Type): Partial<MailDefaults> => ({
  ...(body.default_subject === undefined ? {} : { subject: body.default_subject }),
  ...(body.default_preview_text === undefined ? {} : { previewText: body.default_preview_text }),
  ...(body.default_from_name === undefined ? {} : { fromName: body.default_from_name }),
  ...(body.default_from_address === undefined ? {} : { fromAddress: body.default_from_address }),
  ...(body.default_reply_to_email === undefined ? {} : { replyToEmail: body.default_reply_to_email }),
})

export const toNewEmailTemplate = (body: typeof CreateEmailTemplate.Type): NewEmailTemplate => ({
  name: body.name,
  defaults: toDefaults(body),
  ...(body.html === undefined ? {} : { html: body.html }),
  ...(body.email_id === undefined ? {} : { emailId: body.email_id }),
  ...(body.prompt === undefined ? {} : { prompt: body.prompt }),
})

export const toPatch = (body: typeof UpdateEmailTemplate.Type): EmailTemplatePatch => ({
  defaults: toDefaults(body),
  ...(body.name === undefined ? {} : { name: body.name }),
})

const path = "/v1/email-templates"

export const toEmailTemplateWire = (shown: ShownTemplate<"email">): typeof EmailTemplateWire.Type => {
  const { id, sourceId, mail } = shown.template
  return {
    template_id: id,
    ...toShownFields(shown, path),
    source_type: sourceId === null ? "upload" : "email",
    source_email_id: sourceId,
    default_subject: mail.defaults.subject,
    default_preview_text: mail.defaults.previewText,
    default_from_name: mail.defaults.fromName,
    default_from_address: mail.defaults.fromAddress,
    default_reply_to_email: mail.defaults.replyToEmail,
    plain_text_overridden: mail.plainText !== null,
    plain_text_overridden_at: isoOrNull(mail.plainText?.at ?? null),
    plain_text_stale_after_html_iteration: isPlainTextStale(shown.template),
    plain_text_path: `${path}/${id}/plain-text`,
  }
}

/** A new one: with its generation when the AI has been asked for it. */
export const toEmailTemplateMade = (
  shown: ShownTemplate<"email">,
): typeof EmailTemplateWire.Type | typeof EmailTemplateBegun.Type =>
  shown.latest === null ? toEmailTemplateWire(shown) : { ...toEmailTemplateWire(shown), generation_id: shown.latest.id }

export const toEmailTemplatesWire = ({
  items,
  next,
}: Sliced<ShownTemplate<"email">>): typeof EmailTemplatesWire.Type => ({
  templates: items.map(toEmailTemplateWire),
  next_cursor: next === null ? null : encodeCursor(next),
})
