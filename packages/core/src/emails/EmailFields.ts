// The fields of an email that people write, each defined once: its limits, and what is said when it breaks them.
import { Schema } from "effect"
import { atMost, FromName, oneLine, SenderAddress } from "../workspaces/Sender.ts"

export const email_name_length_max = 200
export const subject_length_max = 998
export const preview_text_length_max = 200
/** What can be rendered and mailed in reasonable time. How much is taken is for whoever runs the service to say, up to this. */
export const html_size_bytes_max = 4 * 1024 * 1024
/** An override can't be larger than what it stands for. */
export const plain_text_length_max = 1_000_000

const notBlank = Schema.isPattern(/\S/, { message: "must not be empty" })

export const EmailName = Schema.String.check(notBlank, atMost(email_name_length_max)).annotate({
  description: "Internal name, 1 to 200 characters",
})

export const Subject = Schema.String.check(notBlank, oneLine, atMost(subject_length_max)).annotate({
  description: "Subject, 1 to 998 characters; can contain merge tokens",
})

export const PreviewText = Schema.String.check(atMost(preview_text_length_max)).annotate({
  description: "Preheader, at most 200 characters; written into the HTML; can contain merge tokens",
})

/** What can be said of an email when it is made, and changed later. */
export interface EmailFields {
  readonly name: string
  readonly subject: string | null
  readonly previewText: string | null
  readonly fromName: string | null
  readonly fromAddress: string | null
  readonly replyToEmail: string | null
}

/** The schema of the fields, and what each is called on the wire: issues are told by that name. */
export const emailFields = Schema.Struct({
  name: Schema.optionalKey(EmailName),
  subject: Schema.optionalKey(Schema.NullOr(Subject)),
  previewText: Schema.optionalKey(Schema.NullOr(PreviewText)),
  fromName: Schema.optionalKey(Schema.NullOr(FromName)),
  fromAddress: Schema.optionalKey(Schema.NullOr(SenderAddress)),
  replyToEmail: Schema.optionalKey(Schema.NullOr(SenderAddress)),
})

export const wireNames: { readonly [Field in keyof EmailFields]: string } = {
  name: "name",
  subject: "subject",
  previewText: "preview_text",
  fromName: "from_name",
  fromAddress: "from_address",
  replyToEmail: "reply_to_email",
}
