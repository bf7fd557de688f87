// The header fields that an email template hands on, checked as an email's own are, and told by their names on the wire.
import { Result, Schema, SchemaIssue } from "effect"
import { parseEmail } from "../contacts/Email.ts"
import { type EmailFields, emailFields, wireNames } from "../emails/EmailFields.ts"
import { Invalid } from "../Refusal.ts"
import { isBlank } from "../Text.ts"
import type { MailDefaults, TemplateMail } from "./Template.ts"

export const noDefaults: MailDefaults = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}

const names = ["subject", "previewText", "fromName", "fromAddress", "replyToEmail"] as const

/** The mail with these defaults instead; what is left out stays. The very same when nothing changes. */
export const withDefaults = (mail: TemplateMail, patch: Partial<MailDefaults>): Result.Result<TemplateMail, Invalid> =>
  Result.map(checkDefaults(patch), (checked) => {
    const defaults: MailDefaults = { ...mail.defaults, ...checked }
    return names.some((name) => defaults[name] !== mail.defaults[name]) ? { ...mail, defaults } : mail
  })

/** What the AI says of an email it wrote stands where nobody said anything; what could not be kept is left out. */
export const withWritten = (
  mail: TemplateMail,
  { subject, previewText }: Pick<MailDefaults, "subject" | "previewText">,
): TemplateMail => {
  const fill = (name: "subject" | "previewText", text: string | null) =>
    mail.defaults[name] === null && text !== null && Result.isSuccess(checkDefaults({ [name]: text }))
      ? { [name]: text }
      : {}
  const defaults = { ...mail.defaults, ...fill("subject", subject), ...fill("previewText", previewText) }
  return { ...mail, defaults }
}

const decodeFields = Schema.decodeUnknownResult(emailFields, { errors: "all", onExcessProperty: "error" })
const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The defaults as they are kept: addresses without white space around them, an empty preview text or name as none. */
const checkDefaults = (defaults: Partial<MailDefaults>): Result.Result<Partial<MailDefaults>, Invalid> =>
  decodeFields(defaults).pipe(
    Result.mapBoth({
      onFailure: (error) =>
        new Invalid({
          issues: toIssues(error.issue).issues.map(({ path, message }) => ({
            path: (path ?? []).map((key) => nameOnTheWire(typeof key === "object" ? key.key : key)).join("."),
            message,
          })),
        }),
      onSuccess: ({ subject, previewText, fromName, fromAddress, replyToEmail }) => ({
        ...(subject === undefined ? {} : { subject }),
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
  typeof key === "string" && key in wireNames ? `default_${wireNames[key as keyof EmailFields]}` : String(key)
