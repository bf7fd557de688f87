// The endpoints of email templates and tent templates.
import { EmailTemplateId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { contentEndpoints } from "../documents/ContentEndpoints.ts"
import { Approve } from "../documents/ContentWire.ts"
import {
  CreateEmailTemplate,
  CreateTentTemplate,
  EmailTemplateBegun,
  EmailTemplateGeneration,
  EmailTemplatesWire,
  EmailTemplateWire,
  TentTemplateBegun,
  TentTemplateGeneration,
  TentTemplatesWire,
  TentTemplateWire,
  UpdateEmailTemplate,
  UpdateTentTemplate,
} from "./TemplateWire.ts"

const emailParams = { templateId: EmailTemplateId }

const ofEmails = contentEndpoints({
  one: "an email template",
  many: "email templates",
  paths: { all: "/v1/email-templates", one: "/v1/email-templates/:templateId" },
  params: emailParams,
  schemas: { page: EmailTemplatesWire, document: EmailTemplateWire, generation: EmailTemplateGeneration },
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
    summary: "Create an email template",
    description:
      "Creates a draft from HTML, from an email, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation. An email without HTML is refused with `template_not_ready`.",
    payload: CreateEmailTemplate,
    success: [EmailTemplateBegun.pipe(HttpApiSchema.status(202)), EmailTemplateWire.pipe(HttpApiSchema.status(201))],
    errors: ["validation_failed", "payload_too_large", "not_found", "template_not_ready", "insufficient_credits"],
  }),
  ofEmails.find,
  Endpoint.patch("update", "/v1/email-templates/:templateId", {
    summary: "Update an email template",
    description: "Changes the name or the defaults. The approved version does not change until the next approval.",
    params: emailParams,
    payload: UpdateEmailTemplate,
    success: EmailTemplateWire,
    errors: ["not_found", "validation_failed"],
  }),
  ofEmails.remove,
  ofEmails.duplicate,
  ofEmails.content,
  ofEmails.setContent,
  ofEmails.plainText,
  ofEmails.setPlainText,
  ofEmails.unsetPlainText,
  ofEmails.generate,
  ofEmails.generation,
  Endpoint.post("approve", "/v1/email-templates/:templateId/approve", {
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
  schemas: { page: TentTemplatesWire, document: TentTemplateWire, generation: TentTemplateGeneration },
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
    summary: "Create a tent template",
    description:
      "Creates a draft from HTML, from a tent's page, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation. A tent without a page is refused with `tent_not_ready`.",
    payload: CreateTentTemplate,
    success: [TentTemplateBegun.pipe(HttpApiSchema.status(202)), TentTemplateWire.pipe(HttpApiSchema.status(201))],
    errors: ["validation_failed", "payload_too_large", "not_found", "tent_not_ready", "insufficient_credits"],
  }),
  ofTents.find,
  Endpoint.patch("rename", "/v1/tent-templates/:templateId", {
    summary: "Rename a tent template",
    description: "Changes the name. It creates no version.",
    params: tentParams,
    payload: UpdateTentTemplate,
    success: TentTemplateWire,
    errors: ["not_found", "validation_failed"],
  }),
  ofTents.remove,
  ofTents.duplicate,
  ofTents.content,
  ofTents.setContent,
  ofTents.generate,
  ofTents.generation,
  Endpoint.post("approve", "/v1/tent-templates/:templateId/approve", {
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
