// What people write of an email, as far as it may be kept: fields within their limits, HTML that is there and not too large.
import { Result, Schema, SchemaIssue } from "effect"
import { encodeText } from "../Bytes.ts"
import { parseEmail } from "../contacts/Email.ts"
import { Invalid } from "../Refusal.ts"
import type { Cleaner } from "../tents/Clean.ts"
import { isBlank } from "../Text.ts"
import {
  type EmailFields,
  emailFields,
  html_size_bytes_max,
  preview_text_length_max,
  subject_length_max,
  wireNames,
} from "./EmailFields.ts"
import { HtmlTooLarge } from "./EmailRefusals.ts"

const decodeFields = Schema.decodeUnknownResult(emailFields, { errors: "all", onExcessProperty: "error" })
const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The fields as they are kept: addresses without white space around them, an empty preview text or name as none. */
export const checkFields = (fields: Partial<EmailFields>): Result.Result<Partial<EmailFields>, Invalid> =>
  decodeFields(fields).pipe(
    Result.mapBoth({
      onFailure: (error) =>
        new Invalid({
          issues: toIssues(error.issue).issues.map(({ path, message }) => ({
            path: (path ?? []).map((key) => nameOnTheWire(typeof key === "object" ? key.key : key)).join("."),
            message,
          })),
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

const nameOnTheWire = (key: PropertyKey): string =>
  typeof key === "string" && key in wireNames ? wireNames[key as keyof EmailFields] : String(key)

/** HTML that says something, of at most `html_size_bytes_max`. */
export const checkHtml = (html: string): Result.Result<string, Invalid | HtmlTooLarge> => {
  if (isBlank(html)) return Result.fail(Invalid.at("html", "must not be empty"))
  const size_bytes = html.length > html_size_bytes_max ? html.length : encodeText(html).length
  return size_bytes > html_size_bytes_max ? Result.fail(new HtmlTooLarge({ size_bytes })) : Result.succeed(html)
}

/** The same, without what could act by itself; what can't be made safe is refused, as the field `html`. */
export const cleanHtml = (cleaner: Cleaner["Service"], html: string): Result.Result<string, Invalid | HtmlTooLarge> =>
  Result.flatMap(checkHtml(html), (checked) =>
    Result.mapError(cleaner.cleanEmail(checked), ({ reason }) => Invalid.at("html", reason)),
  )

/** A subject as a model wrote it, made one that may be kept; null when it says nothing. */
export const subjectFrom = (text: string | null): string | null => lineOf(text, subject_length_max)

export const previewTextFrom = (text: string | null): string | null => lineOf(text, preview_text_length_max)

/** One line of what can be stored, cut between characters. */
const lineOf = (text: string | null, length_max: number): string | null => {
  const line = (text ?? "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, length_max)
    .replace(/[\uD800-\uDBFF]$/, "")
  return isBlank(line) ? null : line
}
