// The endpoints of email templates and tent templates, and their schemas. The header fields of email templates are `default_*`.
import { emailFields, EmailName } from "@tentpole/core/documents/EmailFields"
import type { NewEmailTemplate } from "@tentpole/core/emails/EmailTemplates"
import { EmailId, EmailTemplateId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { renamed } from "@tentpole/core/kernel/Keys"
import {
  defaultFields,
  defaultNames,
  type EmailTemplate,
  type EmailTemplateTypes,
  type TentTemplate,
} from "@tentpole/core/templates/Template"
import type { NewTentTemplate } from "@tentpole/core/tents/TentTemplates"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { listing, readOnly, readOnlyKeys } from "../../Wire.ts"
import { contentEndpoints } from "../documents/ContentEndpoints.ts"
import {
  Approve,
  generationField,
  generationOf,
  Html,
  plainTextFields,
  Prompt,
  shownFields,
  toPlainTextFields,
  toShownFields,
} from "../documents/ContentWire.ts"

const readOnlyFields = {
  template_id: readOnly(),
  status: readOnly("is read-only: use approve and unapprove"),
  ...readOnlyKeys(
    "current_version",
    "approved_version",
    "number_of_iterations",
    "source_type",
    "created_at",
    "updated_at",
    "created_by_name",
    "generated_by",
    "latest_generation_status",
    "content_path",
  ),
}

const text = Schema.NullOr(Schema.String)

const emailTemplateFields = {
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

export const EmailTemplateWire = Schema.Struct(emailTemplateFields).annotate({ identifier: "EmailTemplate" })

export const EmailTemplateBegun = Schema.Struct({ ...emailTemplateFields, ...generationField }).annotate({
  identifier: "EmailTemplateBegun",
})

export const EmailTemplatesWire = listing({ templates: Schema.Array(EmailTemplateWire) }).annotate({
  identifier: "EmailTemplates",
})

export const EmailTemplateGeneration = generationOf({ template_id: EmailTemplateId }, "EmailTemplateGeneration")

export const EmailTemplateGenerations = listing({ generations: Schema.Array(EmailTemplateGeneration) }).annotate({
  identifier: "EmailTemplateGenerations",
})

const defaults = renamed(emailFields.fields, defaultNames)

const fixedEmailFields = {
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
  ...fixedEmailFields,
}).annotate({
  identifier: "CreateEmailTemplate",
  description: "At most one of `html`, `email_id` and `prompt`. Without any, a blank branded email",
})

export const UpdateEmailTemplate = Schema.Struct({
  name: Schema.optionalKey(EmailName),
  ...defaults,
  ...fixedEmailFields,
}).annotate({
  identifier: "UpdateEmailTemplate",
  description: "Omitted fields stay unchanged, null clears a value. Creates no version",
})

export const toNewEmailTemplate = (body: typeof CreateEmailTemplate.Type): NewEmailTemplate => ({
  ...renamed(body, { name: "name", html: "html", email_id: "emailId", prompt: "prompt" }),
  defaults: renamed(body, defaultFields),
})

export const toPatch = (body: typeof UpdateEmailTemplate.Type): EmailTemplateTypes["patch"] => ({
  ...renamed(body, { name: "name" }),
  defaults: renamed(body, defaultFields),
})

export const toEmailTemplateWire = (template: EmailTemplate): typeof EmailTemplateWire.Type => {
  const { id, sourceId } = template
  const path = `/v1/email-templates/${id}`
  return {
    template_id: id,
    ...toShownFields(template, path),
    source_type: sourceId === null ? "upload" : "email",
    source_email_id: sourceId,
    ...renamed(template.defaults, defaultNames),
    ...toPlainTextFields(template, path),
  }
}

const tentTemplateFields = {
  template_id: TentTemplateId,
  ...shownFields,
  source_type: Schema.Literals(["upload", "tent"]),
  source_tent_id: Schema.NullOr(TentId).annotate({ description: "The tent that it was created from" }),
}

export const TentTemplateWire = Schema.Struct(tentTemplateFields).annotate({ identifier: "TentTemplate" })

export const TentTemplateBegun = Schema.Struct({ ...tentTemplateFields, ...generationField }).annotate({
  identifier: "TentTemplateBegun",
})

export const TentTemplatesWire = listing({ templates: Schema.Array(TentTemplateWire) }).annotate({
  identifier: "TentTemplates",
})

export const TentTemplateGeneration = generationOf({ template_id: TentTemplateId }, "TentTemplateGeneration")

export const TentTemplateGenerations = listing({ generations: Schema.Array(TentTemplateGeneration) }).annotate({
  identifier: "TentTemplateGenerations",
})

const fixedTentFields = {
  ...readOnlyFields,
  source_tent_id: readOnly("is read-only: set tent_id when you create the template"),
}

export const CreateTentTemplate = Schema.Struct({
  name: EmailName,
  html: Schema.optionalKey(Html),
  tent_id: Schema.optionalKey(TentId.annotate({ description: "Copies the page of this tent" })),
  prompt: Schema.optionalKey(Prompt),
  ...fixedTentFields,
}).annotate({
  identifier: "CreateTentTemplate",
  description: "At most one of `html`, `tent_id` and `prompt`. Without any, a blank branded page",
})

export const UpdateTentTemplate = Schema.Struct({
  name: Schema.optionalKey(EmailName),
  ...fixedTentFields,
}).annotate({ identifier: "UpdateTentTemplate" })

export const toNewTentTemplate = (body: typeof CreateTentTemplate.Type): NewTentTemplate =>
  renamed(body, { name: "name", html: "html", tent_id: "tentId", prompt: "prompt" })

export const toTentTemplateWire = (template: TentTemplate): typeof TentTemplateWire.Type => ({
  template_id: template.id,
  ...toShownFields(template, `/v1/tent-templates/${template.id}`),
  source_type: template.sourceId === null ? "upload" : "tent",
  source_tent_id: template.sourceId,
})

const emailParams = { templateId: EmailTemplateId }

const ofEmails = contentEndpoints({
  one: "an email template",
  many: "email templates",
  paths: { all: "/v1/email-templates", one: "/v1/email-templates/:templateId" },
  params: emailParams,
  schemas: {
    page: EmailTemplatesWire,
    document: EmailTemplateWire,
    generation: EmailTemplateGeneration,
    generations: EmailTemplateGenerations,
  },
  texts: {
    find: "Returns the fields of the template with the state of its versions and its approval. HTML and plain text have their own endpoints.",
    remove:
      "Deletes the template with its versions. Emails created from it are not affected. The credit of a generation in progress is refunded.",
    unapprove: "Turns the template into a draft again. Emails created from it are not affected.",
  },
})

export const EmailTemplatesApi = Endpoint.group("emailTemplates", "Templates of emails.").add(
  ofEmails.list,
  Endpoint.post("create", "/v1/email-templates", {
    needs: "editor",
    summary: "Create an email template",
    description:
      "Creates a draft from HTML, from an email, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation. An email without HTML is refused with `template_not_ready`.",
    payload: CreateEmailTemplate,
    success: [EmailTemplateBegun.pipe(HttpApiSchema.status(202)), EmailTemplateWire.pipe(HttpApiSchema.status(201))],
    errors: ["validation_failed", "payload_too_large", "not_found", "template_not_ready", "insufficient_credits"],
  }),
  ofEmails.find,
  Endpoint.patch("update", "/v1/email-templates/:templateId", {
    needs: "editor",
    summary: "Update an email template",
    description: "Changes the name or the defaults. The approved version does not change until the next approval.",
    params: emailParams,
    payload: UpdateEmailTemplate,
    success: EmailTemplateWire,
    errors: ["not_found", "validation_failed"],
  }),
  ...ofEmails.contents,
  ...ofEmails.plainTexts,
  ...ofEmails.generations,
  Endpoint.post("approve", "/v1/email-templates/:templateId/approve", {
    needs: "sender",
    summary: "Approve an email template",
    description:
      "Freezes the current HTML, defaults and plain text. Emails are created from this approved version. Sender fields are not required. While a generation is in progress, `version` is required.",
    params: emailParams,
    payload: [Approve, Schema.Undefined],
    success: EmailTemplateWire,
    errors: ["not_found", "template_not_ready", "approval_version_stale", "generation_in_progress"],
  }),
  ofEmails.unapprove,
)

const tentParams = { templateId: TentTemplateId }

const ofTents = contentEndpoints({
  one: "a tent template",
  many: "tent templates",
  paths: { all: "/v1/tent-templates", one: "/v1/tent-templates/:templateId" },
  params: tentParams,
  schemas: {
    page: TentTemplatesWire,
    document: TentTemplateWire,
    generation: TentTemplateGeneration,
    generations: TentTemplateGenerations,
  },
  texts: {
    find: "Returns the name of the template with the state of its versions and its approval. The HTML has its own endpoints.",
    remove:
      "Deletes the template with its versions. Tents that were accepted with it still use the approved version. The credit of a generation in progress is refunded.",
    unapprove:
      "Turns the template into a draft again. Tents that were accepted with it still use the approved version.",
  },
})

export const TentTemplatesApi = Endpoint.group("tentTemplates", "Templates of tents.").add(
  ofTents.list,
  Endpoint.post("create", "/v1/tent-templates", {
    needs: "editor",
    summary: "Create a tent template",
    description:
      "Creates a draft from HTML, from a tent's page, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation. A tent without a page is refused with `tent_not_ready`.",
    payload: CreateTentTemplate,
    success: [TentTemplateBegun.pipe(HttpApiSchema.status(202)), TentTemplateWire.pipe(HttpApiSchema.status(201))],
    errors: ["validation_failed", "payload_too_large", "not_found", "tent_not_ready", "insufficient_credits"],
  }),
  ofTents.find,
  Endpoint.patch("rename", "/v1/tent-templates/:templateId", {
    needs: "editor",
    summary: "Rename a tent template",
    description: "Changes the name. It creates no version.",
    params: tentParams,
    payload: UpdateTentTemplate,
    success: TentTemplateWire,
    errors: ["not_found", "validation_failed"],
  }),
  ...ofTents.contents,
  ...ofTents.generations,
  Endpoint.post("approve", "/v1/tent-templates/:templateId/approve", {
    needs: "sender",
    summary: "Approve a tent template",
    description:
      "Freezes the newest completed version. Tents are created from this approved version. A generation in progress is not affected and creates a later version.",
    params: tentParams,
    payload: [Approve, Schema.Undefined],
    success: TentTemplateWire,
    errors: ["not_found", "template_not_ready", "approval_version_stale", "generation_in_progress"],
  }),
  ofTents.unapprove,
)
