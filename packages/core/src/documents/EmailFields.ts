// The header fields of emails: their schemas, limits and messages.
import { Schema } from "effect"
import { inverse } from "../kernel/Keys.ts"
import { atMost, FromName, oneLine, SenderAddress } from "../workspaces/Sender.ts"
import { document_name_length_max } from "./Document.ts"

export const subject_length_max = 998
export const preview_text_length_max = 200

const notBlank = Schema.isPattern(/\S/, { message: "must not be empty" })

export const EmailName = Schema.String.check(notBlank, atMost(document_name_length_max)).annotate({
  description: "Internal name, 1 to 200 characters",
})

export const Subject = Schema.String.check(notBlank, oneLine, atMost(subject_length_max)).annotate({
  description: "Subject, 1 to 998 characters; can contain merge tokens",
})

export const PreviewText = Schema.String.check(atMost(preview_text_length_max)).annotate({
  description: "Preheader, at most 200 characters; written into the HTML; can contain merge tokens",
})

export const emailFields = Schema.Struct({
  name: Schema.optionalKey(EmailName),
  subject: Schema.optionalKey(Schema.NullOr(Subject)),
  previewText: Schema.optionalKey(Schema.NullOr(PreviewText)),
  fromName: Schema.optionalKey(Schema.NullOr(FromName)),
  fromAddress: Schema.optionalKey(Schema.NullOr(SenderAddress)),
  replyToEmail: Schema.optionalKey(Schema.NullOr(SenderAddress)),
})

/** The fields of an email that callers set. */
export type EmailFields = Required<typeof emailFields.Type>

/** The header fields by their names on the wire and in the database. Issues use these names. */
export const headerNames = {
  subject: "subject",
  previewText: "preview_text",
  fromName: "from_name",
  fromAddress: "from_address",
  replyToEmail: "reply_to_email",
} as const

/** The fields by these names. */
export const headerFields = inverse(headerNames)

/** The header of an email, or the one that an email template sets. */
export type MailHeader = Pick<EmailFields, keyof typeof headerNames>

export const noHeader: MailHeader = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}
