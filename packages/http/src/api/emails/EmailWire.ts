// Wire schemas of emails, their generations and previews.
import type { Email } from "@tentpole/core/emails/Email"
import type { Approved } from "@tentpole/core/emails/Emails"
import type { Preview } from "@tentpole/core/emails/Preview"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import {
  generationField,
  generationOf,
  plainTextFields,
  shownFields,
  toPlainTextFields,
  toShownFields,
} from "../documents/ContentWire.ts"

const text = Schema.NullOr(Schema.String)

const fields = {
  email_id: EmailId,
  ...shownFields,
  subject: text,
  preview_text: text.annotate({ description: "Preheader" }),
  from_name: text,
  from_address: text.annotate({ description: "Sending requires a verified domain" }),
  reply_to_email: text,
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

export const toEmailWire = (email: Email): typeof EmailWire.Type => {
  const path = `/v1/emails/${email.id}`
  return {
    email_id: email.id,
    ...toShownFields(email, path),
    subject: email.subject,
    preview_text: email.previewText,
    from_name: email.fromName,
    from_address: email.fromAddress,
    reply_to_email: email.replyToEmail,
    ...toPlainTextFields(email, path),
  }
}

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
