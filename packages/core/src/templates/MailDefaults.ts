// The header fields of email templates: validated as those of emails, and reported as `default_*`.
import { Result, Struct } from "effect"
import { checkFields, previewTextFrom, subjectFrom } from "../documents/EmailInput.ts"
import { inverse } from "../kernel/Keys.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import type { MailDefaults } from "./Template.ts"

export const noDefaults: MailDefaults = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}

/** The fields by their names on the wire and in the database. */
export const defaultNames = {
  subject: "default_subject",
  previewText: "default_preview_text",
  fromName: "default_from_name",
  fromAddress: "default_from_address",
  replyToEmail: "default_reply_to_email",
} as const

export const defaultFields = inverse(defaultNames)

/** Omitted fields stay. Returns the same object when no field changes. */
export const withDefaults = (
  defaults: MailDefaults,
  patch: Partial<MailDefaults>,
): Result.Result<MailDefaults, Invalid> =>
  Result.map(checkFields(patch, "default_"), ({ name: _, ...checked }) => {
    const changed: MailDefaults = { ...defaults, ...checked }
    return Struct.keys(defaultNames).some((name) => changed[name] !== defaults[name]) ? changed : defaults
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
