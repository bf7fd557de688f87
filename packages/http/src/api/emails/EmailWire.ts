// Wire schemas of emails, their generations and previews.
import { headerNames } from "@tentpole/core/documents/EmailFields"
import type { Email } from "@tentpole/core/emails/Email"
import type { Approved } from "@tentpole/core/emails/Emails"
import type { Preview } from "@tentpole/core/emails/Preview"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { renamed } from "@tentpole/core/kernel/Keys"
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
    ...renamed(email, headerNames),
    ...toPlainTextFields(email, path),
  }
}

export const toPreviewWire = (preview: Preview): typeof EmailPreviewWire.Type =>
  renamed(preview, { subject: "subject", html: "html", text: "text", unresolvedTokens: "unresolved_tokens" })

export const toApprovedWire = ({ email, unresolvedTokens }: Approved): typeof ApprovedEmailWire.Type => ({
  ...toEmailWire(email),
  unresolved_tokens: unresolvedTokens,
})
