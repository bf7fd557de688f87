// EmailChange: the decisions about an email. An approval freezes HTML, plain text, subject, preview text and sender.
import { Result } from "effect"
import { withFields } from "../documents/Document.ts"
import { type DocumentChange, DocumentMachine, type Kind } from "../documents/machine.ts"
import { type Email, type EmailTypes, missingIn, plainTextOf } from "./Email.ts"
import { noHeader } from "../documents/EmailFields.ts"
import { checkFields, withWritten } from "../documents/EmailInput.ts"
import { EmailInUse, EmailNotReady } from "./EmailErrors.ts"
import { withPreheader } from "../rendering/Preheader.ts"

export type EmailChange<After extends Email | null = Email | null> = DocumentChange<EmailTypes, After>

const freeze: Kind<EmailTypes>["freeze"] = ({ document, html }, { approvalId, approvedAt }, facts) => {
  const { id, subject, previewText, fromName, fromAddress, replyToEmail, currentVersion } = document
  const missing = missingIn(document, facts)
  if (missing.length > 0 || subject === null || fromName === null || fromAddress === null || replyToEmail === null) {
    return Result.fail(new EmailNotReady({ missing, fromAddress, before: "approving the email" }))
  }
  const header = { subject, previewText, fromName, fromAddress, replyToEmail }
  const text = plainTextOf({ document, html })
  return Result.succeed({ approvalId, emailId: id, version: currentVersion, ...header, html, text, approvedAt })
}

export const EmailChange = new DocumentMachine<EmailTypes>({
  noun: "email",
  draft: ({ plainText = null, ...fields }, state) =>
    Result.map(checkFields(fields), (checked) => ({ ...noHeader, ...checked, ...state, name: fields.name, plainText })),
  patch: (email, patch) => Result.map(checkFields(patch), (fields) => withFields(email, fields)),
  fill: withWritten,
  // The preview text is part of the HTML.
  embed: (html, { previewText }, before) =>
    previewText === (before?.previewText ?? null) ? html : withPreheader(html, previewText),
  freeze,
  inUse: (uses, move) => (uses.count === 0 ? null : new EmailInUse({ ...uses, move })),
  job: (emailId, generationId) => ({ type: "email_generation", emailId, generationId }),
})
