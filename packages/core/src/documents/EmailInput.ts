// Validation of emails: header fields and HTML.
import { Effect, Result, Schema } from "effect"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { storable } from "./Html.ts"
import { Invalid, issuesOf } from "../kernel/Refusal.ts"
import { Settings } from "../kernel/Settings.ts"
import { Cleaner } from "./Clean.ts"
import { isBlank } from "../kernel/Text.ts"
import { emailDangersOf } from "./EmailDangers.ts"
import {
  type EmailFields,
  emailFields,
  headerNames,
  type MailHeader,
  preview_text_length_max,
  subject_length_max,
} from "./EmailFields.ts"

const decodeFields = Schema.decodeUnknownResult(emailFields, { errors: "all", onExcessProperty: "error" })
const wireNames: Readonly<Record<string, string>> = headerNames

/**
 * The fields to store: addresses are trimmed, an empty preview text or name becomes null. Issues use the names on the wire,
 * with `prefix` before each.
 */
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

/** Validates the HTML of an email. */
export const storableEmail = Effect.gen(function* () {
  const { cleanEmail } = yield* Cleaner
  const { html_bytes_max } = yield* Settings
  return storable(cleanEmail, emailDangersOf, html_bytes_max)
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
