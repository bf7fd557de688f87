// The header fields of email templates: validated as those of emails, and reported as `default_*`.
import { Result } from "effect"
import { checkFields, previewTextFrom, subjectFrom } from "../documents/EmailInput.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import type { MailDefaults } from "./Template.ts"

export const noDefaults: MailDefaults = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}

const names = ["subject", "previewText", "fromName", "fromAddress", "replyToEmail"] as const

/** Omitted fields stay. Returns the same object when no field changes. */
export const withDefaults = (
  defaults: MailDefaults,
  patch: Partial<MailDefaults>,
): Result.Result<MailDefaults, Invalid> =>
  Result.map(checkFields(patch, "default_"), ({ name: _, ...checked }) => {
    const changed: MailDefaults = { ...defaults, ...checked }
    return names.some((name) => changed[name] !== defaults[name]) ? changed : defaults
  })

/** Sets an empty subject and preview text to the AI's. */
export const withWritten = (
  defaults: MailDefaults,
  written: Pick<MailDefaults, "subject" | "previewText">,
): MailDefaults => ({
  ...defaults,
  subject: defaults.subject ?? subjectFrom(written.subject),
  previewText: defaults.previewText ?? previewTextFrom(written.previewText),
})
