// The header fields that an email template hands on, checked as an email's own are, and told by their names on the wire.
import { Result } from "effect"
import { checkFields, previewTextFrom, subjectFrom } from "../emails/EmailInput.ts"
import type { Invalid } from "../kernel/Refusal.ts"
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
  Result.map(checkFields(patch, "default_"), ({ name: _, ...checked }) => {
    const defaults: MailDefaults = { ...mail.defaults, ...checked }
    return names.some((name) => defaults[name] !== mail.defaults[name]) ? { ...mail, defaults } : mail
  })

/** What the AI says of an email it wrote stands where nobody said anything. */
export const withWritten = (
  mail: TemplateMail,
  written: Pick<MailDefaults, "subject" | "previewText">,
): TemplateMail => {
  const subject = mail.defaults.subject ?? subjectFrom(written.subject)
  const previewText = mail.defaults.previewText ?? previewTextFrom(written.previewText)
  return { ...mail, defaults: { ...mail.defaults, subject, previewText } }
}
