// The header fields and the HTML of emails: their schemas, limits and validation.
import { Schema, Effect, Result, Struct } from "effect"
import { inverse } from "../kernel/Keys.ts"
import { atMost, FromName, oneLine, SenderAddress } from "../workspaces/Sender.ts"
import { document_name_length_max } from "./Document.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { storable, Cleaner } from "./Clean.ts"
import { Invalid, issuesOf } from "../kernel/Refusal.ts"
import { Settings } from "../kernel/Settings.ts"
import { isBlank } from "../kernel/Text.ts"
import { Parsers } from "../ports/Parsers.ts"
import { emailDangers } from "./EmailDangers.ts"

export const subject_length_max = 998
export const preview_text_length_max = 200

const notBlank = Schema.isPattern(/\S/, { message: "must not be empty" })

export const EmailName = Schema.String.check(notBlank, atMost(document_name_length_max)).annotate({
  description: "Internal name, 1 to 200 characters",
})

export const Subject = Schema.String.check(atMost(subject_length_max), notBlank, oneLine).annotate({
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

export type HeaderName = (typeof headerNames)[keyof typeof headerNames]

/** The fields of the header that differ from those of the approval, by their API names; none without an approval. */
export const changedSinceApproval = (header: MailHeader, approved: MailHeader | null): ReadonlyArray<HeaderName> =>
  approved === null
    ? []
    : Struct.keys(headerNames).flatMap((field) => (header[field] === approved[field] ? [] : [headerNames[field]]))

export const headerOf = (of: MailHeader): MailHeader => Struct.pick(of, Struct.keys(headerNames))

export const noHeader: MailHeader = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}

const decodeFields = Schema.decodeUnknownResult(emailFields, { errors: "all", onExcessProperty: "error" })
const wireNames: Readonly<Record<string, string>> = headerNames

/** Trims addresses, and empty preview texts and names become null. Issues use the wire's names after `prefix`. */
export const checkFields = (
  fields: Partial<EmailFields>,
  prefix: "" | "default_" = "",
): Result.Result<Partial<EmailFields>, Invalid> =>
  decodeFields(fields).pipe(
    Result.mapBoth({
      onFailure: (error) =>
        new Invalid({
          issues: issuesOf(error).map(({ path, message }) => ({ path: prefix + (wireNames[path] ?? path), message })),
        }),
      onSuccess: ({ previewText, fromName, fromAddress, replyToEmail, ...rest }) => ({
        ...rest,
        ...(previewText === undefined ? {} : { previewText: previewText === "" ? null : previewText }),
        ...(fromName === undefined ? {} : { fromName: fromName === null || isBlank(fromName) ? null : fromName }),
        ...(fromAddress === undefined ? {} : { fromAddress: written(fromAddress) }),
        ...(replyToEmail === undefined ? {} : { replyToEmail: written(replyToEmail) }),
      }),
    }),
  )

const written = (address: string | null): string | null =>
  address === null ? null : (parseEmail(address)?.written ?? address)

export const storableEmail = Effect.gen(function* () {
  const { cleanEmail } = yield* Cleaner
  const { html_bytes_max } = yield* Settings
  return storable(cleanEmail, emailDangers, { bytes_max: html_bytes_max, parsers: yield* Parsers })
})

/** Sets an empty subject and preview text to the AI's. */
export const withWritten = <Header extends Pick<MailHeader, "subject" | "previewText">>(
  header: Header,
  written: Pick<MailHeader, "subject" | "previewText">,
): Header => ({
  ...header,
  subject: header.subject ?? lineOf(written.subject, subject_length_max),
  previewText: header.previewText ?? lineOf(written.previewText, preview_text_length_max),
})

/** One storable line, cut between characters; null when it is blank. */
const lineOf = (text: string | null, length_max: number): string | null => {
  const line = (text ?? "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, length_max)
    .replace(/[\uD800-\uDBFF]$/, "")
  return isBlank(line) ? null : line
}
