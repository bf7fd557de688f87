// Email: a document with header fields. `EmailChange.ts` has its decisions.
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import type { Current, Document, DocumentTypes, PlainTextOverride } from "../documents/Document.ts"
import type { EmailId } from "../kernel/Ids.ts"
import { isBlank } from "../kernel/Text.ts"
import type { ApprovedEmail } from "../rendering/ApprovedEmail.ts"
import { type EmailFields, headerNames } from "../documents/EmailFields.ts"
import type { EmailInUse, EmailNotReady, EmailUses, Missing } from "./EmailErrors.ts"
import { plainText } from "../rendering/PlainText.ts"
import { unresolvedTokens } from "../rendering/MergeTokens.ts"

export interface Email extends Document, EmailFields {
  readonly id: EmailId
}

/** The facts of an approval: the workspace's verified sending domains, as A-labels. */
export interface ApprovalFacts {
  readonly verifiedDomains: ReadonlyArray<string>
}

export interface EmailTypes extends DocumentTypes {
  readonly document: Email
  readonly given: Partial<EmailFields> & Pick<EmailFields, "name"> & { readonly plainText?: PlainTextOverride | null }
  readonly patch: Partial<EmailFields>
  readonly approved: ApprovedEmail
  readonly facts: ApprovalFacts
  readonly notReady: EmailNotReady
  readonly uses: EmailUses
  readonly inUse: EmailInUse
}

/** The override, or the text of the HTML. */
export const plainTextOf = ({ document, html }: Current<Document>): string =>
  document.plainText?.text ?? (html === null ? "" : plainText(html))

/** Names of unknown tokens in the email. `customFields`: `api_name`s of the active fields. */
export const unresolvedIn = (
  { document, html }: Current<Email>,
  customFields: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  unresolvedTokens([document.subject, document.fromName, html, document.plainText?.text ?? null], new Set(customFields))

const required = ["subject", "fromName", "fromAddress", "replyToEmail"] as const

/** What an approval lacks. A missing sender address has no domain to verify. */
export const missingIn = (email: Email, { verifiedDomains }: ApprovalFacts): ReadonlyArray<Missing> => {
  const absent = required.filter((field) => isBlank(email[field] ?? ""))
  const domain = email.fromAddress === null ? null : domainOf(email.fromAddress)
  return [
    ...absent.map((field) => headerNames[field]),
    ...(domain !== null && !verifiedDomains.includes(domain) ? (["sender_domain"] as const) : []),
  ]
}

/** The A-label form of a sender address's domain. */
export const domainOf = (address: string): string => (parseEmail(address)?.normalized ?? address).replace(/^.*@/, "")
