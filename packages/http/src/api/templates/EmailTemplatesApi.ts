// The endpoints of email templates.
import { EmailTemplateId, GenerationId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { Nothing } from "../../Wire.ts"
import {
  Approve,
  AskForVersion,
  contentQuery,
  listQuery,
  pollHeaders,
  served,
  SetContent,
  SetPlainText,
} from "../documents/ContentWire.ts"
import {
  CreateEmailTemplate,
  EmailTemplateBegun,
  EmailTemplateGeneration,
  EmailTemplatesWire,
  EmailTemplateWire,
  UpdateEmailTemplate,
} from "./EmailTemplateWire.ts"

const params = { templateId: EmailTemplateId }

const described = (text: string) => [OpenApi.Description, text] as const

/** Making one, looking at it, and changing what stands beside its HTML. */
const basics = HttpApiGroup.make("emailTemplates")
  .add(
    HttpApiEndpoint.get("list", "/v1/email-templates", {
      query: listQuery,
      success: EmailTemplatesWire,
      error: errors("invalid_cursor"),
    })
      .annotate(OpenApi.Summary, "List email templates")
      .annotate(...described("Email templates, the newest first.")),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/email-templates", {
      payload: CreateEmailTemplate,
      success: [EmailTemplateBegun.pipe(HttpApiSchema.status(202)), EmailTemplateWire.pipe(HttpApiSchema.status(201))],
      error: errors(
        "validation_failed",
        "payload_too_large",
        "not_found",
        "template_not_ready",
        "insufficient_credits",
      ),
    })
      .annotate(OpenApi.Summary, "Create an email template")
      .annotate(
        ...described(
          "Makes a draft: of HTML, of an email, of what the AI is asked for (202, with `generation_id`), or blank. An email that has no HTML yet is `template_not_ready`.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/email-templates/:templateId", {
      params,
      success: EmailTemplateWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read an email template")
      .annotate(
        OpenApi.Description,
        "The template's fields and how far its versions and its approval are. Its HTML and text have calls of their own.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/email-templates/:templateId", {
      params,
      payload: UpdateEmailTemplate,
      success: EmailTemplateWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Edit an email template")
      .annotate(...described("Changes name and defaults. What is approved stays as it was until the next approval.")),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/email-templates/:templateId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found", "email_in_use"),
    })
      .annotate(OpenApi.Summary, "Delete an email template")
      .annotate(
        ...described(
          "Deletes the template with its versions. Emails made from it stay; a generation that goes on gives its credit back.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("duplicate", "/v1/email-templates/:templateId/duplicate", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: EmailTemplateWire.pipe(HttpApiSchema.status(201)),
      error: errors("not_found", "template_not_ready"),
    })
      .annotate(OpenApi.Summary, "Copy an email template")
      .annotate(...described("A draft of its own with the current HTML, defaults and plain text.")),
  )

/** Its HTML and its plain text. */
const contents = basics
  .add(
    HttpApiEndpoint.get("content", "/v1/email-templates/:templateId/content", {
      params,
      query: contentQuery,
      success: served("text/html"),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read an email template's HTML")
      .annotate(OpenApi.Description, "The HTML of the current version, or of the one that `version` names."),
  )
  .add(
    HttpApiEndpoint.put("setContent", "/v1/email-templates/:templateId/content", {
      params,
      payload: SetContent,
      success: EmailTemplateWire,
      error: errors("not_found", "validation_failed", "payload_too_large"),
    })
      .annotate(OpenApi.Summary, "Set an email template's HTML")
      .annotate(...described("Makes a new version.")),
  )
  .add(
    HttpApiEndpoint.get("plainText", "/v1/email-templates/:templateId/plain-text", {
      params,
      success: served("text/plain"),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read an email template's text")
      .annotate(OpenApi.Description, "The text part: as it was written, or as it is made from the HTML."),
  )
  .add(
    HttpApiEndpoint.put("setPlainText", "/v1/email-templates/:templateId/plain-text", {
      params,
      payload: SetPlainText,
      success: EmailTemplateWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Set an email template's text")
      .annotate(...described("Overrides the text that is made from the HTML. Makes no version.")),
  )
  .add(
    HttpApiEndpoint.delete("unsetPlainText", "/v1/email-templates/:templateId/plain-text", {
      params,
      success: EmailTemplateWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Go back to the made text of an email template")
      .annotate(...described("Goes back to the text that is made from the HTML.")),
  )

export const EmailTemplatesApi = contents
  .add(
    HttpApiEndpoint.post("generate", "/v1/email-templates/:templateId/generations", {
      params,
      payload: AskForVersion,
      success: EmailTemplateGeneration.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "validation_failed", "generation_in_progress", "insufficient_credits"),
    })
      .annotate(OpenApi.Summary, "Have an email template written")
      .annotate(...described("Asks the AI for the next version, built on the current one. One at a time.")),
  )
  .add(
    HttpApiEndpoint.get("generation", "/v1/email-templates/:templateId/generations/:generationId", {
      params: { ...params, generationId: GenerationId },
      success: HttpApiSchema.WithHeaders(EmailTemplateGeneration, pollHeaders),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a generation of an email template")
      .annotate(...described("Carries `Retry-After: 10` while it goes on.")),
  )
  .add(
    HttpApiEndpoint.post("approve", "/v1/email-templates/:templateId/approve", {
      params,
      payload: [Approve, Schema.Undefined],
      success: EmailTemplateWire,
      error: errors("not_found", "template_not_ready", "approval_version_stale", "generation_in_progress"),
    })
      .annotate(OpenApi.Summary, "Approve an email template")
      .annotate(
        ...described(
          "Freezes HTML, defaults and plain text as they are now; emails are made from that. No sender field is required. While a generation goes on, name the `version` you mean.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("unapprove", "/v1/email-templates/:templateId/unapprove", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: EmailTemplateWire,
      error: errors("not_found", "invalid_state", "email_in_use"),
    })
      .annotate(OpenApi.Summary, "Take an email template's approval back")
      .annotate(...described("Back to a draft. Emails made from it stay as they are.")),
  )
