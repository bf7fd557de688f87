// Wire schemas of email templates. Their header fields are `default_*`.
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import { EmailName, PreviewText, Subject } from "@tentpole/core/documents/EmailFields"
import { EmailId, EmailTemplateId } from "@tentpole/core/kernel/Ids"
import type { NewEmailTemplate } from "@tentpole/core/emails/EmailTemplates"
import type { EmailTemplate, EmailTemplateTypes, MailDefaults } from "@tentpole/core/templates/Template"
import { Schema } from "effect"
import { readOnly, readOnlyKeys } from "../../Wire.ts"
import {
  generationField,
  generationOf,
  Html,
  plainTextFields,
  Prompt,
  shownFields,
  toPlainTextFields,
  toShownFields,
} from "../documents/ContentWire.ts"
import { readOnlyFields } from "./TemplateWire.ts"

const text = Schema.NullOr(Schema.String)

const fields = {
  template_id: EmailTemplateId,
  ...shownFields,
  source_type: Schema.Literals(["upload", "email"]),
  source_email_id: Schema.NullOr(EmailId).annotate({ description: "The email that it was created from" }),
  default_subject: text,
  default_preview_text: text.annotate({
    description: "Added to the HTML of emails that are created from it, not to its own",
  }),
  default_from_name: text,
  default_from_address: text,
  default_reply_to_email: text,
  ...plainTextFields,
}

export const EmailTemplateWire = Schema.Struct(fields).annotate({ identifier: "EmailTemplate" })

/** The answer to a creation that started a generation. */
export const EmailTemplateBegun = Schema.Struct({ ...fields, ...generationField }).annotate({
  identifier: "EmailTemplateBegun",
})

export const EmailTemplatesWire = Schema.Struct({
  templates: Schema.Array(EmailTemplateWire),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "EmailTemplates" })

export const EmailTemplateGeneration = generationOf({ template_id: EmailTemplateId }, "EmailTemplateGeneration")

const defaults = {
  default_subject: Schema.optionalKey(Schema.NullOr(Subject)),
  default_preview_text: Schema.optionalKey(Schema.NullOr(PreviewText)),
  default_from_name: Schema.optionalKey(Schema.NullOr(FromName)),
  default_from_address: Schema.optionalKey(Schema.NullOr(SenderAddress)),
  default_reply_to_email: Schema.optionalKey(Schema.NullOr(SenderAddress)),
}

const fixedFields = {
  ...readOnlyFields,
  source_email_id: readOnly("is read-only: set email_id when you create the template"),
  ...readOnlyKeys(
    "plain_text_overridden",
    "plain_text_overridden_at",
    "plain_text_stale_after_html_iteration",
    "plain_text_path",
  ),
}

export const CreateEmailTemplate = Schema.Struct({
  name: EmailName,
  ...defaults,
  html: Schema.optionalKey(Html),
  email_id: Schema.optionalKey(
    EmailId.annotate({ description: "Copies the HTML, header fields and plain text of this email" }),
  ),
  prompt: Schema.optionalKey(Prompt),
  ...fixedFields,
}).annotate({
  identifier: "CreateEmailTemplate",
  description: "At most one of `html`, `email_id` and `prompt`. Without any, a blank branded email",
})

export const UpdateEmailTemplate = Schema.Struct({
  name: Schema.optionalKey(EmailName),
  ...defaults,
  ...fixedFields,
}).annotate({
  identifier: "UpdateEmailTemplate",
  description: "Omitted fields stay unchanged, null clears a value. Creates no version",
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

export const toPatch = (body: typeof UpdateEmailTemplate.Type): EmailTemplateTypes["patch"] => ({
  defaults: toDefaults(body),
  ...(body.name === undefined ? {} : { name: body.name }),
})

export const toEmailTemplateWire = (template: EmailTemplate): typeof EmailTemplateWire.Type => {
  const { id, sourceId, defaults: header } = template
  const path = `/v1/email-templates/${id}`
  return {
    template_id: id,
    ...toShownFields(template, path),
    source_type: sourceId === null ? "upload" : "email",
    source_email_id: sourceId,
    default_subject: header.subject,
    default_preview_text: header.previewText,
    default_from_name: header.fromName,
    default_from_address: header.fromAddress,
    default_reply_to_email: header.replyToEmail,
    ...toPlainTextFields(template, path),
  }
}
