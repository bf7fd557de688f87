// An email: header fields, HTML in versions, a plain text of its own or one made from the HTML, and what of all that is
// approved. Approval freezes everything together; what is edited later counts from the next approval.
import { type DateTime, Result, SchemaIssue, Schema } from "effect"
import { encodeText } from "../Bytes.ts"
import { parseEmail } from "../contacts/Email.ts"
import type { ApprovalId, EmailId } from "../Ids.ts"
import { Invalid, InvalidState } from "../Refusal.ts"
import { isBlank } from "../Text.ts"
import type { ApprovedEmail } from "./ApprovedEmail.ts"
import { type EmailFields, emailFields, html_size_bytes_max, plain_text_length_max, wireNames } from "./EmailFields.ts"
import {
  ApprovalVersionStale,
  EmailInUse,
  EmailNotReady,
  type EmailUse,
  HtmlTooLarge,
  type Missing,
  TemplateNotReady,
} from "./EmailRefusals.ts"
import { plainText } from "./PlainText.ts"
import { withPreheader } from "./Preheader.ts"

export interface Email extends EmailFields {
  readonly id: EmailId
  /** From 1; 0 until the first generation is done. */
  readonly currentVersion: number
  /** The user's own plain text; null: made from the HTML. */
  readonly plainText: PlainTextOverride | null
  /** Null: a draft. */
  readonly approval: Approval | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export interface PlainTextOverride {
  readonly text: string
  readonly at: DateTime.Utc
  /** The version that it was written for: with a later one it is stale. */
  readonly version: number
}

export interface Approval {
  readonly id: ApprovalId
  readonly version: number
}

/** An email with the HTML of its current version; null before the first. */
export interface CurrentEmail {
  readonly email: Email
  readonly html: string | null
}

export const emailStatuses = ["draft", "approved"] as const
export type EmailStatus = (typeof emailStatuses)[number]

export const statusOf = ({ approval }: Email): EmailStatus => (approval === null ? "draft" : "approved")

/** The HTML changed after the user wrote a plain text. */
export const isPlainTextStale = ({ plainText, currentVersion }: Email): boolean =>
  plainText !== null && plainText.version < currentVersion

/** The override, or what the HTML reads without its tags. */
export const plainTextOf = ({ email, html }: CurrentEmail): string =>
  email.plainText?.text ?? (html === null ? "" : plainText(html))

/** What an approval depends on besides the email: domains that mail may come from, as A-labels. */
export interface ApprovalFacts {
  readonly verifiedDomains: ReadonlyArray<string>
}

/** What is to be written of an email: decided here, and nowhere else. */
export class EmailChange {
  readonly #brand = true
  readonly before: Email | null
  readonly after: Email
  /** HTML that goes with the change: `after.currentVersion` is written, or written over where it is there already. */
  readonly html: string | null
  /** What the change froze. */
  readonly approved: ApprovedEmail | null

  private constructor(it: {
    readonly before: Email | null
    readonly after: Email
    readonly html?: string | null
    readonly approved?: ApprovedEmail
  }) {
    this.before = it.before
    this.after = it.after
    this.html = it.html ?? null
    this.approved = it.approved ?? null
  }

  static is(it: unknown): it is EmailChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** Nothing to write. */
  get isNothing(): boolean {
    return this.before === this.after
  }

  /** A draft at version 1. The preview text stands in the HTML that is stored. */
  static create(it: {
    readonly id: EmailId
    readonly fields: Partial<EmailFields> & Pick<EmailFields, "name">
    readonly html: string
    readonly createdByName: string
    readonly now: DateTime.Utc
  }): Result.Result<EmailChange, Invalid | HtmlTooLarge> {
    return Result.gen(function* () {
      const fields = yield* checkFields(it.fields)
      const html = yield* checkHtml(it.html)
      const after: Email = {
        ...blank,
        ...fields,
        name: it.fields.name,
        id: it.id,
        currentVersion: 1,
        plainText: null,
        approval: null,
        createdByName: it.createdByName,
        createdAt: it.now,
        updatedAt: it.now,
      }
      return new EmailChange({ before: null, after, html: withPreviewText(html, after.previewText) })
    })
  }

  /** Header fields. A new preview text is written into the current HTML in place; no version is made. */
  static update(
    { email, html }: CurrentEmail,
    patch: Partial<EmailFields>,
    now: DateTime.Utc,
  ): Result.Result<EmailChange, Invalid> {
    return Result.map(checkFields(patch), (fields) => {
      const after: Email = { ...email, ...fields, updatedAt: now }
      const changed = fieldNames.some((field) => after[field] !== email[field])
      if (!changed) return new EmailChange({ before: email, after: email })
      const rewritten = after.previewText !== email.previewText && html !== null
      return new EmailChange({ before: email, after, html: rewritten ? withPreheader(html, after.previewText) : null })
    })
  }

  /** A new version. The preview text, where there is one, stands in it too. */
  static setContent(email: Email, html: string, now: DateTime.Utc): Result.Result<EmailChange, Invalid | HtmlTooLarge> {
    return Result.map(checkHtml(html), (checked) => {
      const after: Email = { ...email, currentVersion: email.currentVersion + 1, updatedAt: now }
      return new EmailChange({ before: email, after, html: withPreviewText(checked, email.previewText) })
    })
  }

  /** The user's own plain text; null goes back to the one made from the HTML. Makes no version. */
  static setPlainText(email: Email, text: string | null, now: DateTime.Utc): Result.Result<EmailChange, Invalid> {
    if (text !== null && text.length > plain_text_length_max) {
      return Result.fail(Invalid.at("text", `must have at most ${plain_text_length_max} characters`))
    }
    if (text === null && email.plainText === null)
      return Result.succeed(new EmailChange({ before: email, after: email }))
    const plainText = text === null ? null : { text, at: now, version: email.currentVersion }
    return Result.succeed(new EmailChange({ before: email, after: { ...email, plainText, updatedAt: now } }))
  }

  /** Freezes the email as it is now, also one that is approved already. `version`: what the caller believes is current. */
  static approve(
    current: CurrentEmail,
    facts: ApprovalFacts,
    { approvalId, version }: { readonly approvalId: ApprovalId; readonly version?: number },
    now: DateTime.Utc,
  ): Result.Result<EmailChange, TemplateNotReady | ApprovalVersionStale | EmailNotReady> {
    const { email, html } = current
    if (html === null) return Result.fail(new TemplateNotReady())
    if (version !== undefined && version !== email.currentVersion) {
      return Result.fail(new ApprovalVersionStale({ version, current: email.currentVersion }))
    }
    const { subject, fromName, fromAddress, replyToEmail } = email
    const missing = missingIn(email, facts)
    if (missing.length > 0 || subject === null || fromName === null || fromAddress === null || replyToEmail === null) {
      return Result.fail(new EmailNotReady({ missing, fromAddress }))
    }
    const approved: ApprovedEmail = {
      approvalId,
      emailId: email.id,
      version: email.currentVersion,
      subject,
      previewText: email.previewText,
      fromName,
      fromAddress,
      replyToEmail,
      html,
      text: plainTextOf(current),
      approvedAt: now,
    }
    const after: Email = { ...email, approval: { id: approvalId, version: email.currentVersion }, updatedAt: now }
    return Result.succeed(new EmailChange({ before: email, after, approved }))
  }

  /** Back to a draft. What it froze is kept: blasts have sent by it. `uses` are those that still count on it. */
  static unapprove(
    email: Email,
    uses: ReadonlyArray<EmailUse>,
    now: DateTime.Utc,
  ): Result.Result<EmailChange, InvalidState | EmailInUse> {
    if (email.approval === null) {
      return Result.fail(new InvalidState({ resource: "email", status: "draft", move: "unapproved" }))
    }
    if (uses.length > 0) return Result.fail(new EmailInUse({ uses, move: "unapproved" }))
    return Result.succeed(new EmailChange({ before: email, after: { ...email, approval: null, updatedAt: now } }))
  }
}

/** What an approval still needs. A sender's address that is missing has no domain to ask for. */
export const missingIn = (email: Email, { verifiedDomains }: ApprovalFacts): ReadonlyArray<Missing> => {
  const absent = (value: string | null) => value === null || isBlank(value)
  const domain = email.fromAddress === null ? null : domainOf(email.fromAddress)
  return [
    ...(absent(email.subject) ? (["subject"] as const) : []),
    ...(absent(email.fromName) ? (["from_name"] as const) : []),
    ...(absent(email.fromAddress) ? (["from_address"] as const) : []),
    ...(absent(email.replyToEmail) ? (["reply_to_email"] as const) : []),
    ...(domain !== null && !verifiedDomains.includes(domain) ? (["sender_domain"] as const) : []),
  ]
}

/** The A-label form of a sender address's domain. */
export const domainOf = (address: string): string => (parseEmail(address)?.normalized ?? address).replace(/^.*@/, "")

const blank: Omit<EmailFields, "name"> = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}

const fieldNames = ["name", "subject", "previewText", "fromName", "fromAddress", "replyToEmail"] as const

const withPreviewText = (html: string, text: string | null): string =>
  text === null ? html : withPreheader(html, text)

const decodeFields = Schema.decodeUnknownResult(emailFields, { errors: "all", onExcessProperty: "error" })
const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The fields as they are kept: addresses without white space around them, an empty preview text or name as none. */
const checkFields = (fields: Partial<EmailFields>): Result.Result<Partial<EmailFields>, Invalid> =>
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

const checkHtml = (html: string): Result.Result<string, Invalid | HtmlTooLarge> => {
  if (isBlank(html)) return Result.fail(Invalid.at("html", "must not be empty"))
  const size_bytes = html.length > html_size_bytes_max ? html.length : encodeText(html).length
  return size_bytes > html_size_bytes_max ? Result.fail(new HtmlTooLarge({ size_bytes })) : Result.succeed(html)
}
