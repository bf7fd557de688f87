// The endpoints of emails, their generations and previews, and their schemas.
import {
  changedSinceApproval,
  type EmailFields,
  emailFields,
  EmailName,
  headerFields,
  headerNames,
} from "@tentpole/core/documents/EmailFields"
import type { Email } from "@tentpole/core/emails/Email"
import type { Approved } from "@tentpole/core/emails/Emails"
import type { NewEmail } from "@tentpole/core/emails/NewEmail"
import { html_issues_max, listed_links_max } from "@tentpole/core/emails/EmailIssues"
import type { Preview, UnsavedEmail, UnsavedPreview } from "@tentpole/core/emails/Preview"
import { ContactId, EmailId, EmailTemplateId } from "@tentpole/core/kernel/Ids"
import { renamed } from "@tentpole/core/kernel/Keys"
import { test_addresses_max } from "@tentpole/core/sending/TestMails"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { listing, oneOf } from "../../Wire.ts"
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

const text = Schema.NullOr(Schema.String)

const ChangedSinceApproval = Schema.Array(Schema.Literals(Object.values(headerNames))).annotate({
  description:
    "Fields that were changed after the approval. Contacts receive the approved values until the email is approved again",
})

const fields = {
  email_id: EmailId,
  ...shownFields,
  subject: text,
  preview_text: text.annotate({ description: "Preheader" }),
  from_name: text,
  from_address: text.annotate({ description: "Sending requires a verified domain" }),
  reply_to_email: text,
  changed_since_approval: ChangedSinceApproval,
  ...plainTextFields,
}

export const EmailWire = Schema.Struct(fields).annotate({ identifier: "Email" })

export const EmailBeingWrittenWire = Schema.Struct({ ...fields, ...generationField }).annotate({
  identifier: "EmailBeingWritten",
})

const tokens = Schema.Array(Schema.String).annotate({
  description: "Tokens without a value. They render as their fallback or empty",
  examples: [["contact.nickname"]],
})

export const ApprovedEmailWire = Schema.Struct({
  ...fields,
  unresolved_tokens: tokens,
}).annotate({ identifier: "ApprovedEmail" })

export const EmailGenerationWire = generationOf({ email_id: EmailId }, "EmailGeneration")

export const EmailGenerationsWire = listing({ generations: Schema.Array(EmailGenerationWire) }).annotate({
  identifier: "EmailGenerations",
})

export const EmailPreviewWire = Schema.Struct({
  subject: Schema.String,
  html: Schema.String,
  text: Schema.String,
  unresolved_tokens: tokens,
}).annotate({ identifier: "EmailPreview" })

export const UnsavedEmailPreviewWire = Schema.Struct({
  ...EmailPreviewWire.fields,
  issues: Schema.Array(
    Schema.Struct({
      line: Schema.Int.annotate({ description: "From 1" }),
      column: Schema.Int.annotate({ description: "From 1" }),
      message: Schema.String,
    }),
  ).annotate({
    description: `Tokens without a value, and active content that is removed, with their places in the HTML; at most ${html_issues_max}`,
  }),
  links: Schema.Array(Schema.Struct({ url: Schema.String, text: Schema.String })).annotate({
    description: `The links of the rendered message, with the unsubscribe link; at most ${listed_links_max}`,
  }),
  bytes: Schema.Int.annotate({ description: "Size of the rendered HTML. Gmail shows the first 102 KB" }),
}).annotate({ identifier: "UnsavedEmailPreview" })

export const EmailsWire = listing({ emails: Schema.Array(EmailWire) }).annotate({ identifier: "Emails" })

export const toEmailWire = (email: Email): typeof EmailWire.Type => {
  const path = `/v1/emails/${email.id}`
  return {
    email_id: email.id,
    ...toShownFields(email, path),
    ...renamed(email, headerNames),
    changed_since_approval: changedSinceApproval(email, email.approvedHeader),
    ...toPlainTextFields(email, path),
  }
}

export const toPreviewWire = (preview: Preview): typeof EmailPreviewWire.Type =>
  renamed(preview, { subject: "subject", html: "html", text: "text", unresolvedTokens: "unresolved_tokens" })

export const toUnsavedPreviewWire = ({ issues, links, size_bytes, ...preview }: UnsavedPreview) => ({
  ...toPreviewWire(preview),
  issues,
  links,
  bytes: size_bytes,
})

export const toApprovedWire = ({ email, unresolvedTokens }: Approved): typeof ApprovedEmailWire.Type => ({
  ...toEmailWire(email),
  unresolved_tokens: unresolvedTokens,
})

const header = renamed(emailFields.fields, headerNames)

export const CreateEmail = Schema.Struct({
  name: EmailName,
  ...header,
  html: Schema.optionalKey(Html),
  template_id: Schema.optionalKey(
    EmailTemplateId.annotate({
      description: "An approved email template. Its content and its `default_*` fields are copied",
    }),
  ),
  prompt: Schema.optionalKey(Prompt),
}).annotate({
  identifier: "CreateEmail",
  description:
    "One of `html`, `template_id` and `prompt`, or `template_id` together with `prompt`. Without any, a blank branded email. Omitted fields default to those of the template, then to the workspace's sender defaults",
})

export const UpdateEmail = Schema.Struct({ name: Schema.optionalKey(EmailName), ...header }).annotate({
  identifier: "UpdateEmail",
  description: "Omitted fields stay unchanged, null clears a value. `preview_text` is written into the current HTML",
})

const TestSend = Schema.Struct({
  to: Schema.Array(Schema.String)
    .check(Schema.isMaxLength(test_addresses_max, { message: `must have 1 to ${test_addresses_max} addresses` }))
    .annotate({ description: `1 to ${test_addresses_max} addresses` }),
  contact_id: Schema.optionalKey(
    ContactId.annotate({ description: "The contact whose values replace tokens. Default: a sample contact" }),
  ),
}).annotate({ identifier: "TestSend" })

const approveQuery = {
  allow_unknown_tokens: Schema.optionalKey(oneOf("true", "false")).annotate({
    description: "`true` approves an email whose tokens look misspelt. Default: `false`",
  }),
}

const previewQuery = {
  contact_id: Schema.optionalKey(ContactId).annotate({ description: "Default: a sample contact" }),
}

const PreviewUnsaved = Schema.Struct({
  html: Schema.optionalKey(Html),
  subject: header.subject,
  preview_text: header.preview_text,
  ...previewQuery,
}).annotate({ identifier: "PreviewUnsavedEmail", description: "Omitted fields are those of the email" })

/** The given fields under the names of the core. */
export const toUnsaved = (body: typeof PreviewUnsaved.Type): UnsavedEmail =>
  renamed(body, { html: "html", subject: "subject", preview_text: "previewText" })

/** The given fields under the names of the core. */
export const toFields = (body: typeof UpdateEmail.Type): Partial<EmailFields> =>
  renamed(body, { name: "name", ...headerFields })

export const toNewEmail = (body: typeof CreateEmail.Type): NewEmail =>
  renamed(body, { name: "name", ...headerFields, html: "html", template_id: "templateId", prompt: "prompt" })

const shared = contentEndpoints({
  one: "an email",
  many: "emails",
  paths: { all: "/v1/emails", one: "/v1/emails/:emailId" },
  params: { emailId: EmailId },
  schemas: {
    page: EmailsWire,
    document: EmailWire,
    generation: EmailGenerationWire,
    generations: EmailGenerationsWire,
  },
  texts: {
    find: "Returns the fields of the email with the state of its versions and its approval. HTML and plain text have their own endpoints.",
    remove: "Deletes the email with its versions and generations. What blasts have already sent is not affected.",
    unapprove:
      "Turns the email into a draft again. The call is refused while a scheduled or sending blast or an active flow uses the email.",
  },
})

export const EmailsApi = Endpoint.group(
  "emails",
  "Emails with versions, written by hand or generated by AI, and approved before they are sent.",
).add(
  shared.list,
  Endpoint.post("create", "/v1/emails", {
    needs: "editor",
    summary: "Create an email",
    description:
      "Creates a draft from HTML, from an approved template, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation.",
    payload: CreateEmail,
    success: [
      // The larger one first: an answer is encoded by the first schema that matches.
      EmailBeingWrittenWire.pipe(HttpApiSchema.status(202)),
      EmailWire.pipe(HttpApiSchema.status(201)),
    ],
    errors: ["validation_failed", "payload_too_large", "not_found", "template_not_approved", "insufficient_credits"],
  }),
  shared.find,
  Endpoint.patch("update", "/v1/emails/:emailId", {
    needs: "editor",
    summary: "Update an email",
    description:
      "Changes the name, the subject, the preview text or the sender fields. The approved version does not change until the next approval.",
    payload: UpdateEmail,
    success: EmailWire,
    errors: ["not_found", "validation_failed"],
  }),
  ...shared.contents,
  ...shared.plainTexts,
  Endpoint.post("approve", "/v1/emails/:emailId/approve", {
    needs: "sender",
    summary: "Approve an email",
    description:
      "Freezes the HTML, plain text, subject, preview text and sender fields together. This is what gets sent. The email needs a subject, a sender name, a sender address on a verified domain, and a reply-to address. Later changes need another approval. A token that looks like a misspelt one stops the approval, as `{{contact.frist_name}}`; other unknown tokens are listed in `unresolved_tokens`. With `four_eyes` another person than the last editor has to approve.",
    query: approveQuery,
    payload: [Approve, Schema.Undefined],
    success: ApprovedEmailWire,
    errors: [
      "not_found",
      "email_not_ready",
      "unknown_token",
      "approval_version_stale",
      "template_not_ready",
      "another_person_needed",
    ],
  }),
  shared.unapprove,
  ...shared.generations,
  Endpoint.get("preview", "/v1/emails/:emailId/preview", {
    needs: "viewer",
    summary: "Preview an email",
    description: "Renders the current version, approved or not, with the values of a contact.",
    query: previewQuery,
    success: EmailPreviewWire,
    errors: ["not_found", "template_not_ready", "message_too_large"],
  }),
  Endpoint.post("previewUnsaved", "/v1/emails/:emailId/preview", {
    needs: "viewer",
    summary: "Preview an email that is not saved",
    description:
      "Renders the given HTML, subject and preview text with the values of a contact, and stores nothing. The HTML is cleaned as when it is stored.",
    payload: PreviewUnsaved,
    success: UnsavedEmailPreviewWire,
    errors: ["not_found", "validation_failed", "payload_too_large", "template_not_ready", "message_too_large"],
  }),
  Endpoint.post("testSend", "/v1/emails/:emailId/test-send", {
    needs: "sender",
    summary: "Send a test email",
    description:
      "Sends the current version, approved or not, once to each address. The subject starts with `[Test] `. Opens and clicks are not counted, and the unsubscribe link has no effect.",
    payload: TestSend,
    success: EmailWire.pipe(HttpApiSchema.status(202)),
    errors: [
      "not_found",
      "validation_failed",
      "email_not_ready",
      "template_not_ready",
      "message_too_large",
      "rate_limited",
    ],
  }),
)
