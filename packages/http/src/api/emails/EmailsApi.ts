// The endpoints of emails.
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import { EmailName, type EmailFields, PreviewText, Subject } from "@tentpole/core/emails/EmailFields"
import { test_addresses_max } from "@tentpole/core/sending/TestMails"
import { ContactId, EmailId, EmailTemplateId, GenerationId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { Nothing } from "../../Wire.ts"
import {
  Approve,
  AskForVersion,
  contentQuery,
  Html,
  listQuery,
  pollHeaders,
  Prompt,
  served,
  SetContent,
  SetPlainText,
} from "../documents/ContentWire.ts"
import {
  ApprovedEmailWire,
  EmailBeingWrittenWire,
  EmailGenerationWire,
  EmailPreviewWire,
  EmailsWire,
  EmailWire,
} from "./EmailWire.ts"

const params = { emailId: EmailId }

const headerFields = {
  subject: Schema.optionalKey(Schema.NullOr(Subject)),
  preview_text: Schema.optionalKey(Schema.NullOr(PreviewText)),
  from_name: Schema.optionalKey(Schema.NullOr(FromName)),
  from_address: Schema.optionalKey(Schema.NullOr(SenderAddress)),
  reply_to_email: Schema.optionalKey(Schema.NullOr(SenderAddress)),
}

export const CreateEmail = Schema.Struct({
  name: EmailName,
  ...headerFields,
  html: Schema.optionalKey(Html),
  template_id: Schema.optionalKey(
    EmailTemplateId.annotate({ description: "An approved email template: its content and its `default_*` fields" }),
  ),
  prompt: Schema.optionalKey(Prompt),
}).annotate({
  identifier: "CreateEmail",
  description:
    "Made of one of `html`, `template_id` and `prompt`, or of `template_id` with a `prompt` on top; with none a blank branded scaffold. Fields left out are the template's, then the workspace's sender defaults",
})

export const UpdateEmail = Schema.Struct({ name: Schema.optionalKey(EmailName), ...headerFields }).annotate({
  identifier: "UpdateEmail",
  description: "What is left out stays, null clears. `preview_text` is written into the current HTML in place",
})

const TestSend = Schema.Struct({
  to: Schema.Array(Schema.String).annotate({ description: `1 to ${test_addresses_max} addresses` }),
  contact_id: Schema.optionalKey(
    ContactId.annotate({ description: "Whose values stand for tokens; a sample contact's when left out" }),
  ),
}).annotate({ identifier: "TestSend" })

const previewQuery = {
  contact_id: Schema.optionalKey(ContactId).annotate({ description: "A sample contact when left out" }),
}

/** The fields that a body names, as the core calls them. */
export const toFields = (body: typeof UpdateEmail.Type): Partial<EmailFields> => ({
  ...(body.name === undefined ? {} : { name: body.name }),
  ...(body.subject === undefined ? {} : { subject: body.subject }),
  ...(body.preview_text === undefined ? {} : { previewText: body.preview_text }),
  ...(body.from_name === undefined ? {} : { fromName: body.from_name }),
  ...(body.from_address === undefined ? {} : { fromAddress: body.from_address }),
  ...(body.reply_to_email === undefined ? {} : { replyToEmail: body.reply_to_email }),
})

export const EmailsApi = HttpApiGroup.make("emails")
  .add(
    HttpApiEndpoint.get("list", "/v1/emails", {
      query: listQuery,
      success: EmailsWire,
      error: errors("invalid_cursor"),
    })
      .annotate(OpenApi.Summary, "List emails")
      .annotate(OpenApi.Description, "Emails, the newest first, those of blasts among them."),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/emails", {
      payload: CreateEmail,
      success: [
        // The one with more in it first: an answer is the first that it fits.
        EmailBeingWrittenWire.pipe(HttpApiSchema.status(202)),
        EmailWire.pipe(HttpApiSchema.status(201)),
      ],
      error: errors(
        "validation_failed",
        "payload_too_large",
        "not_found",
        "template_not_approved",
        "insufficient_credits",
      ),
    })
      .annotate(OpenApi.Summary, "Create an email")
      .annotate(OpenApi.Description, "201; with a `prompt` 202, and the AI writes it: poll the generation"),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/emails/:emailId", { params, success: EmailWire, error: errors("not_found") })
      .annotate(OpenApi.Summary, "Read an email")
      .annotate(
        OpenApi.Description,
        "The email's fields and how far its versions and its approval are. Its HTML and text have calls of their own.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/emails/:emailId", {
      params,
      payload: UpdateEmail,
      success: EmailWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Edit an email")
      .annotate(
        OpenApi.Description,
        "Changes name, subject, preview text and sender fields. What is approved stays as it was until the next approval.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/emails/:emailId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found", "email_in_use"),
    })
      .annotate(OpenApi.Summary, "Delete an email")
      .annotate(OpenApi.Description, "Its versions and generations go with it. What blasts have sent of it stays"),
  )
  .add(
    HttpApiEndpoint.post("duplicate", "/v1/emails/:emailId/duplicate", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: EmailWire.pipe(HttpApiSchema.status(201)),
      error: errors("not_found", "template_not_ready"),
    })
      .annotate(OpenApi.Summary, "Copy an email")
      .annotate(OpenApi.Description, "A draft with the HTML, the plain text and the fields that the email has now"),
  )
  .add(
    HttpApiEndpoint.get("content", "/v1/emails/:emailId/content", {
      params,
      query: contentQuery,
      success: served("text/html"),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read an email's HTML")
      .annotate(OpenApi.Description, "The HTML of the current version, or of the one that `version` names."),
  )
  .add(
    HttpApiEndpoint.put("setContent", "/v1/emails/:emailId/content", {
      params,
      payload: SetContent,
      success: EmailWire,
      error: errors("not_found", "validation_failed", "payload_too_large"),
    })
      .annotate(OpenApi.Summary, "Set an email's HTML")
      .annotate(
        OpenApi.Description,
        "Makes a new version. A plain text of one's own stays, and is marked as older than the HTML.",
      ),
  )
  .add(
    HttpApiEndpoint.get("plainText", "/v1/emails/:emailId/plain-text", {
      params,
      success: served("text/plain"),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read an email's text")
      .annotate(OpenApi.Description, "The text part: as it was written, or as it is made from the HTML."),
  )
  .add(
    HttpApiEndpoint.put("setPlainText", "/v1/emails/:emailId/plain-text", {
      params,
      payload: SetPlainText,
      success: EmailWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Set an email's text")
      .annotate(OpenApi.Description, "Overrides the text that is made from the HTML. Makes no version."),
  )
  .add(
    HttpApiEndpoint.delete("unsetPlainText", "/v1/emails/:emailId/plain-text", {
      params,
      success: EmailWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Go back to the made text of an email")
      .annotate(OpenApi.Description, "Forgets the text of one's own: the text part is made from the HTML again."),
  )
  .add(
    HttpApiEndpoint.post("approve", "/v1/emails/:emailId/approve", {
      params,
      payload: [Approve, Schema.Undefined],
      success: ApprovedEmailWire,
      error: errors("not_found", "email_not_ready", "approval_version_stale", "template_not_ready"),
    })
      .annotate(OpenApi.Summary, "Approve an email")
      .annotate(
        OpenApi.Description,
        "Freezes HTML, text, subject, preview text and sender fields together: that is what is sent. Needs subject, sender name, sender address on a verified domain, and reply-to. Edits count from the next approval.",
      ),
  )
  .add(
    HttpApiEndpoint.post("unapprove", "/v1/emails/:emailId/unapprove", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: EmailWire,
      error: errors("not_found", "invalid_state", "email_in_use"),
    })
      .annotate(OpenApi.Summary, "Take an email's approval back")
      .annotate(
        OpenApi.Description,
        "Makes it a draft again. Refused while a scheduled or sending blast or an active flow uses it.",
      ),
  )
  .add(
    HttpApiEndpoint.post("generate", "/v1/emails/:emailId/generations", {
      params,
      payload: AskForVersion,
      success: EmailGenerationWire.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "validation_failed", "generation_in_progress", "insufficient_credits"),
    })
      .annotate(OpenApi.Summary, "Have an email written")
      .annotate(
        OpenApi.Description,
        "The AI builds on the current HTML and makes the next version. One generation at a time; edits meanwhile stay, each in its own version",
      ),
  )
  .add(
    HttpApiEndpoint.get("generation", "/v1/emails/:emailId/generations/:generationId", {
      params: { emailId: EmailId, generationId: GenerationId },
      success: HttpApiSchema.WithHeaders(EmailGenerationWire, pollHeaders),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a generation of an email")
      .annotate(OpenApi.Description, "How far the AI is. `Retry-After` says when to ask again while it writes."),
  )
  .add(
    HttpApiEndpoint.get("preview", "/v1/emails/:emailId/preview", {
      params,
      query: previewQuery,
      success: EmailPreviewWire,
      error: errors("not_found", "template_not_ready"),
    })
      .annotate(OpenApi.Summary, "Preview an email")
      .annotate(OpenApi.Description, "The current version, approved or not, as the contact would read it"),
  )
  .add(
    HttpApiEndpoint.post("testSend", "/v1/emails/:emailId/test-send", {
      params,
      payload: TestSend,
      success: EmailWire.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "validation_failed", "email_not_ready", "template_not_ready"),
    })
      .annotate(OpenApi.Summary, "Send an email as a test")
      .annotate(
        OpenApi.Description,
        "The current version, approved or not, with `[Test] ` before the subject, once to each address. Nothing is counted, and its unsubscribe link changes nothing",
      ),
  )
