// An email as it stands on the wire, and what is told of it: generations, previews.
import { type Generation, generationStatuses } from "@tentpole/core/content/Generation"
import { type Email, emailStatuses, isPlainTextStale, statusOf } from "@tentpole/core/emails/Email"
import type { Approved, Made } from "@tentpole/core/emails/Emails"
import type { Preview } from "@tentpole/core/emails/Preview"
import { EmailId, GenerationId } from "@tentpole/core/Ids"
import { encodeCursor, type Sliced } from "@tentpole/core/Page"
import { Schema } from "effect"
import { InstantWire, iso, isoOrNull } from "../../Wire.ts"

const text = Schema.NullOr(Schema.String)

const fields = {
  email_id: EmailId,
  name: Schema.String.annotate({ description: "Internal" }),
  status: Schema.Literals(emailStatuses),
  current_version: Schema.Int.annotate({ description: "0 until the first generation is done" }),
  subject: text,
  preview_text: text.annotate({ description: "Preheader" }),
  from_name: text,
  from_address: text.annotate({ description: "Sending requires a verified domain" }),
  reply_to_email: text,
  approved_version: Schema.NullOr(Schema.Int),
  number_of_iterations: Schema.Int.annotate({ description: "Equals current_version" }),
  plain_text_overridden: Schema.Boolean,
  plain_text_overridden_at: Schema.NullOr(InstantWire),
  plain_text_stale_after_html_iteration: Schema.Boolean.annotate({
    description: "The HTML changed after the plain text was overridden",
  }),
  created_at: InstantWire,
  updated_at: InstantWire,
  created_by_name: Schema.String.annotate({ description: "Name of the API key or user" }),
  latest_generation_status: Schema.Literals(generationStatuses).annotate({
    description: "Uploaded HTML, templates and scaffolds are completed",
  }),
  content_path: Schema.String.annotate({ description: "Path of the latest HTML" }),
  plain_text_path: Schema.String.annotate({ description: "Path of the plain-text rendition" }),
}

export const EmailWire = Schema.Struct(fields).annotate({ identifier: "Email" })

export const EmailBeingWrittenWire = Schema.Struct({ ...fields, generation_id: GenerationId }).annotate({
  identifier: "EmailBeingWritten",
})

const tokens = Schema.Array(Schema.String).annotate({
  description: "Tokens that stand for nothing: they render as their fallback or empty",
  examples: [["contact.nickname"]],
})

export const ApprovedEmailWire = Schema.Struct({
  ...fields,
  unresolved_tokens: tokens,
}).annotate({ identifier: "ApprovedEmail" })

export const EmailGenerationWire = Schema.Struct({
  generation_id: GenerationId,
  email_id: EmailId,
  status: Schema.Literals(generationStatuses),
  prompt: Schema.String,
  version: Schema.NullOr(Schema.Int).annotate({ description: "The version that it made" }),
  error: text.annotate({ description: "Why there is none" }),
  created_at: InstantWire,
  completed_at: Schema.NullOr(InstantWire),
  created_by_name: Schema.String,
}).annotate({ identifier: "EmailGeneration" })

export const EmailPreviewWire = Schema.Struct({
  subject: Schema.String,
  html: Schema.String,
  text: Schema.String,
  unresolved_tokens: tokens,
}).annotate({ identifier: "EmailPreview" })

export const EmailsWire = Schema.Struct({
  emails: Schema.Array(EmailWire),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Emails" })

export const toEmailWire = (email: Email): typeof EmailWire.Type => ({
  email_id: email.id,
  name: email.name,
  status: statusOf(email),
  current_version: email.currentVersion,
  subject: email.subject,
  preview_text: email.previewText,
  from_name: email.fromName,
  from_address: email.fromAddress,
  reply_to_email: email.replyToEmail,
  approved_version: email.approval?.version ?? null,
  number_of_iterations: email.currentVersion,
  plain_text_overridden: email.plainText !== null,
  plain_text_overridden_at: isoOrNull(email.plainText?.at ?? null),
  plain_text_stale_after_html_iteration: isPlainTextStale(email),
  created_at: iso(email.createdAt),
  updated_at: iso(email.updatedAt),
  created_by_name: email.createdByName,
  // Uploaded HTML and scaffolds are completed versions.
  latest_generation_status: email.generationStatus ?? "completed",
  content_path: `/v1/emails/${email.id}/content`,
  plain_text_path: `/v1/emails/${email.id}/plain-text`,
})

export const toMadeWire = ({ email, generationId }: Made): typeof EmailBeingWrittenWire.Type | typeof EmailWire.Type =>
  generationId === null ? toEmailWire(email) : { ...toEmailWire(email), generation_id: generationId }

export const toGenerationWire =
  (emailId: EmailId) =>
  (it: Generation): typeof EmailGenerationWire.Type => ({
    generation_id: it.id,
    email_id: emailId,
    status: it.status,
    prompt: it.prompt,
    version: it.version,
    error: it.error,
    created_at: iso(it.createdAt),
    completed_at: isoOrNull(it.completedAt),
    created_by_name: it.createdByName,
  })

export const toPreviewWire = ({
  subject,
  html,
  text: plain,
  unresolvedTokens,
}: Preview): typeof EmailPreviewWire.Type => ({
  subject,
  html,
  text: plain,
  unresolved_tokens: unresolvedTokens,
})

export const toApprovedWire = ({ email, unresolvedTokens }: Approved): typeof ApprovedEmailWire.Type => ({
  ...toEmailWire(email),
  unresolved_tokens: unresolvedTokens,
})

export const toEmailsWire = ({ items, next }: Sliced<Email>): typeof EmailsWire.Type => ({
  emails: items.map(toEmailWire),
  next_cursor: next === null ? null : encodeCursor(next),
})
