// The endpoints of email templates.
import { EmailTemplateId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { contentEndpoints } from "../documents/ContentEndpoints.ts"
import { Approve } from "../documents/ContentWire.ts"
import {
  CreateEmailTemplate,
  EmailTemplateBegun,
  EmailTemplateGeneration,
  EmailTemplatesWire,
  EmailTemplateWire,
  UpdateEmailTemplate,
} from "./EmailTemplateWire.ts"

const params = { templateId: EmailTemplateId }

const shared = contentEndpoints({
  one: "an email template",
  many: "email templates",
  paths: { all: "/v1/email-templates", one: "/v1/email-templates/:templateId" },
  params,
  schemas: { page: EmailTemplatesWire, document: EmailTemplateWire, generation: EmailTemplateGeneration },
  texts: {
    find: "Returns the fields of the template with the state of its versions and its approval. HTML and plain text have their own endpoints.",
    remove:
      "Deletes the template with its versions. Emails created from it are not affected. The credit of a generation in progress is refunded.",
    unapprove: "Turns the template into a draft again. Emails created from it are not affected.",
  },
})

export const EmailTemplatesApi = Endpoint.group("emailTemplates", "Templates of emails.").add(
  shared.list,
  Endpoint.post("create", "/v1/email-templates", {
    summary: "Create an email template",
    description:
      "Creates a draft from HTML, from an email, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation. An email without HTML is refused with `template_not_ready`.",
    payload: CreateEmailTemplate,
    success: [EmailTemplateBegun.pipe(HttpApiSchema.status(202)), EmailTemplateWire.pipe(HttpApiSchema.status(201))],
    errors: ["validation_failed", "payload_too_large", "not_found", "template_not_ready", "insufficient_credits"],
  }),
  shared.find,
  Endpoint.patch("update", "/v1/email-templates/:templateId", {
    summary: "Update an email template",
    description: "Changes the name or the defaults. The approved version does not change until the next approval.",
    params,
    payload: UpdateEmailTemplate,
    success: EmailTemplateWire,
    errors: ["not_found", "validation_failed"],
  }),
  shared.remove,
  shared.duplicate,
  shared.content,
  shared.setContent,
  shared.plainText,
  shared.setPlainText,
  shared.unsetPlainText,
  shared.generate,
  shared.generation,
  Endpoint.post("approve", "/v1/email-templates/:templateId/approve", {
    summary: "Approve an email template",
    description:
      "Freezes the current HTML, defaults and plain text. Emails are created from this approved version. Sender fields are not required. While a generation is in progress, `version` is required.",
    params,
    payload: [Approve, Schema.Undefined],
    success: EmailTemplateWire,
    errors: ["not_found", "template_not_ready", "approval_version_stale", "generation_in_progress"],
  }),
  shared.unapprove,
)
