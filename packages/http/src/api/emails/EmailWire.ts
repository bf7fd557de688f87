// An email as it stands on the wire.
import { type Email, emailStatuses, isPlainTextStale, statusOf } from "@tentpole/core/emails/Email"
import type { Approved } from "@tentpole/core/emails/Emails"
import { EmailId } from "@tentpole/core/Ids"
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
  latest_generation_status: Schema.NullOr(Schema.Literals(["generating", "completed", "failed"])),
  content_path: Schema.String.annotate({ description: "Path of the latest HTML" }),
  plain_text_path: Schema.String.annotate({ description: "Path of the plain-text rendition" }),
}

export const EmailWire = Schema.Struct(fields).annotate({ identifier: "Email" })

export const ApprovedEmailWire = Schema.Struct({
  ...fields,
  unresolved_tokens: Schema.Array(Schema.String).annotate({
    description: "Tokens that stand for nothing: they render as their fallback or empty",
    examples: [["contact.nickname"]],
  }),
}).annotate({ identifier: "ApprovedEmail" })

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
  latest_generation_status: email.currentVersion === 0 ? null : "completed",
  content_path: `/v1/emails/${email.id}/content`,
  plain_text_path: `/v1/emails/${email.id}/plain-text`,
})

export const toApprovedWire = ({ email, unresolvedTokens }: Approved): typeof ApprovedEmailWire.Type => ({
  ...toEmailWire(email),
  unresolved_tokens: unresolvedTokens,
})

export const toEmailsWire = ({ items, next }: Sliced<Email>): typeof EmailsWire.Type => ({
  emails: items.map(toEmailWire),
  next_cursor: next === null ? null : encodeCursor(next),
})
