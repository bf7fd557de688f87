// An email: header fields, HTML in versions, a plain text of its own or one made from the HTML, and what of all that is
// approved. What happens to one is decided in `EmailChange.ts`.
import type { DateTime } from "effect"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import type { Approval } from "../documents/Approval.ts"
import type { Generation, GenerationStatus } from "../documents/Generation.ts"
import type { PlainTextOverride } from "../documents/PlainTextOverride.ts"
import type { EmailId } from "../kernel/Ids.ts"
import { isBlank } from "../kernel/Text.ts"
import type { EmailFields } from "./EmailFields.ts"
import type { Missing } from "./EmailErrors.ts"
import { plainText } from "../rendering/PlainText.ts"
import { unresolvedTokens } from "../rendering/MergeTokens.ts"

export interface Email extends EmailFields {
  readonly id: EmailId
  /** From 1; 0 until the first generation is done. */
  readonly currentVersion: number
  /** The user's own plain text; null: made from the HTML. */
  readonly plainText: PlainTextOverride | null
  /** Null: a draft. */
  readonly approval: Approval | null
  /** Of the latest generation; null when none was ever asked for. */
  readonly generationStatus: GenerationStatus | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** An email with the HTML of its current version; null before the first. */
export interface CurrentEmail {
  readonly email: Email
  readonly html: string | null
}

/** An email that nobody else can change, with its latest generation. */
export interface LockedEmail extends CurrentEmail {
  readonly generation: Generation | null
}

/** The override, or what the HTML reads without its tags. */
export const plainTextOf = ({ email, html }: CurrentEmail): string =>
  email.plainText?.text ?? (html === null ? "" : plainText(html))

/** Names of tokens, anywhere in the email, that stand for nothing. `customFields`: `api_name`s of the active ones. */
export const unresolvedIn = (
  { email, html }: CurrentEmail,
  customFields: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  unresolvedTokens([email.subject, email.fromName, html, email.plainText?.text ?? null], new Set(customFields))

/** What an approval depends on besides the email: domains that mail may come from, as A-labels. */
export interface ApprovalFacts {
  readonly verifiedDomains: ReadonlyArray<string>
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
