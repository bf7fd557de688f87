// Email: a document with header fields, and the decisions about it.
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import {
  type Current,
  type Document,
  type DocumentTypes,
  type PlainTextOverride,
  withFields,
} from "../documents/Document.ts"
import type { EmailId } from "../kernel/Ids.ts"
import { AnotherPersonNeeded, isSamePerson } from "../workspaces/FourEyes.ts"
import { isBlank } from "../kernel/Text.ts"
import type { ApprovedEmail } from "../rendering/message/Message.ts"
import {
  type EmailFields,
  headerNames,
  headerOf,
  type MailHeader,
  noHeader,
  checkFields,
  withWritten,
} from "../documents/EmailFields.ts"
import { EmailInUse, EmailNotReady, type EmailUses, type Missing, type MisspeltToken } from "./EmailErrors.ts"
import { plainTextParser } from "../rendering/PlainText.ts"
import { isKnown, nearestName, tokenParser } from "../rendering/MergeTokens.ts"
import { type Parse, parseNow } from "../ports/Parsers.ts"
import { Result } from "effect"
import { type DocumentChange, DocumentMachine, type Kind } from "../documents/machine.ts"
import { preheaderParser } from "../rendering/Markup.ts"

export interface Email extends Document, EmailFields {
  readonly id: EmailId
  /** The header that the approval froze; null: a draft. */
  readonly approvedHeader: MailHeader | null
}

export interface ApprovalFacts {
  /** The workspace's verified sending domains, as A-labels. */
  readonly verifiedDomains: ReadonlyArray<string>
  /** Whether another person than the last editor has to approve. */
  readonly fourEyes: boolean
}

export interface EmailTypes extends DocumentTypes {
  readonly document: Email
  readonly given: Partial<EmailFields> & Pick<EmailFields, "name"> & { readonly plainText?: PlainTextOverride | null }
  readonly patch: Partial<EmailFields>
  readonly approved: ApprovedEmail
  readonly facts: ApprovalFacts
  readonly notReady: EmailNotReady | AnotherPersonNeeded
  readonly uses: EmailUses
  readonly inUse: EmailInUse
}

/** The override, or the text of the HTML. */
export const plainTextOf = ({ document, html }: Current<Document>, parse: Parse = parseNow): string =>
  document.plainText?.text ?? (html === null ? "" : parse(plainTextParser, html))

/** A bound on work: later unknown tokens are not compared with the known names. */
const compared_tokens_max = 50

/** Unknown tokens of the email, each name once. `customFields`: `api_name`s of the active fields. */
export const unknownTokensIn = (
  { document, html }: Current<Email>,
  customFields: ReadonlyArray<string>,
  parse: Parse = parseNow,
): ReadonlyArray<UnknownToken> => {
  const known = new Set(customFields)
  const tokens = parse(tokenParser, [document.subject, document.fromName, html, document.plainText?.text ?? null])
  const unknown = tokens.filter((token) => !isKnown(token, known))
  return [...new Map(unknown.map((token) => [token.name, token])).values()].map((token, at) => ({
    token: token.name,
    nearest: at < compared_tokens_max ? nearestName(token, known) : null,
  }))
}

/** `nearest`: the known name that the token most likely means; null if none is near. */
export interface UnknownToken {
  readonly token: string
  readonly nearest: string | null
}

/** Tokens that are known names written wrongly. Other unknown tokens only appear in `unresolved_tokens`. */
export const misspeltOf = (unknown: ReadonlyArray<UnknownToken>): ReadonlyArray<MisspeltToken> =>
  unknown.flatMap(({ token, nearest }) => (nearest === null ? [] : [{ token, nearest }]))

const required = ["subject", "fromName", "fromAddress", "replyToEmail"] as const

/** What an approval lacks. A missing sender address has no domain to verify. */
export const missingIn = (
  email: Email,
  { verifiedDomains }: Pick<ApprovalFacts, "verifiedDomains">,
): ReadonlyArray<Missing> => {
  const absent = required.filter((field) => isBlank(email[field] ?? ""))
  const domain = email.fromAddress === null ? null : domainOf(email.fromAddress)
  return [
    ...absent.map((field) => headerNames[field]),
    ...(domain !== null && !verifiedDomains.includes(domain) ? (["sender_domain"] as const) : []),
  ]
}

/** The A-label form of a sender address's domain. */
export const domainOf = (address: string): string => (parseEmail(address)?.normalized ?? address).replace(/^.*@/, "")

export type EmailChange<After extends Email | null = Email | null> = DocumentChange<EmailTypes, After>

/** Freezes HTML, plain text, subject, preview text and sender. */
const freeze: Kind<EmailTypes>["freeze"] = ({ document, html }, { approvalId, approvedAt, by }, facts, parse) => {
  const { id, subject, previewText, fromName, fromAddress, replyToEmail, currentVersion } = document
  const missing = missingIn(document, facts)
  if (missing.length > 0 || subject === null || fromName === null || fromAddress === null || replyToEmail === null) {
    return Result.fail(new EmailNotReady({ missing, fromAddress, before: "approving the email" }))
  }
  if (facts.fourEyes && isSamePerson(document.editedBy, by)) {
    return Result.fail(new AnotherPersonNeeded({ step: "approve" }))
  }
  const header = { subject, previewText, fromName, fromAddress, replyToEmail }
  const text = plainTextOf({ document, html }, parse)
  return Result.succeed({ approvalId, emailId: id, version: currentVersion, ...header, html, text, approvedAt })
}

export const EmailChange = new DocumentMachine<EmailTypes>({
  noun: "email",
  draft: ({ plainText = null, ...fields }, state) =>
    Result.map(checkFields(fields), (checked) => ({
      ...noHeader,
      ...checked,
      ...state,
      approvedHeader: null,
      name: fields.name,
      plainText,
    })),
  patch: (email, patch) => Result.map(checkFields(patch), (fields) => withFields(email, fields)),
  fill: withWritten,
  // The preview text is part of the HTML.
  embed: (html, { previewText }, before, parse) =>
    previewText === (before?.previewText ?? null) ? html : parse(preheaderParser, { html, text: previewText }),
  freeze,
  withApproved: (email, approved) => ({ ...email, approvedHeader: approved === null ? null : headerOf(approved) }),
  inUse: (uses, move) => (uses.count === 0 ? null : new EmailInUse({ ...uses, move })),
  job: (emailId, generationId) => ({ type: "email_generation", emailId, generationId }),
})
