// An email to be made: of HTML, of a template, by the AI, or blank. What is asked for is checked here, and put together from
// what is given, what the template says, and what the workspace sends by.
import { Result } from "effect"
import { promptIssues } from "../content/Generation.ts"
import type { EmailTemplateId } from "../Ids.ts"
import { Invalid, type Issue } from "../Refusal.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import type { EmailFields } from "./EmailFields.ts"
import type { EmailSeed } from "./EmailStore.ts"

/** Fields that are left out are taken from the template, then from the workspace's sender defaults, as far as they have some. */
export type NewEmail = Partial<EmailFields> &
  Pick<EmailFields, "name"> & {
    readonly html?: string
    /** An approved email template. */
    readonly templateId?: EmailTemplateId
    /** The AI writes it, on top of the template if there is one. */
    readonly prompt?: string
  }

/** An email is made of one thing; only a template may have a prompt besides. */
export const checkNewEmail = ({ html, templateId, prompt }: NewEmail): Result.Result<void, Invalid> => {
  const issues: ReadonlyArray<Issue> = [
    ...(html !== undefined && templateId !== undefined
      ? [{ path: "template_id", message: "can't stand beside html: an email is made of one or the other" }]
      : []),
    ...(html !== undefined && prompt !== undefined
      ? [{ path: "prompt", message: "can't stand beside html: make the email of it, then ask for a generation" }]
      : []),
    ...(prompt === undefined ? [] : promptIssues(prompt)),
  ]
  return issues.length === 0 ? Result.void : Result.fail(new Invalid({ issues }))
}

/** What is given wins, also where it says that there is none; then the template, then the workspace. */
export const fieldsOf = (
  { html: _html, templateId: _templateId, prompt: _prompt, ...given }: NewEmail,
  seed: EmailSeed | null,
  { senderDefaults }: Workspace,
): Partial<EmailFields> & Pick<EmailFields, "name"> => ({
  subject: seed?.defaults.subject ?? null,
  previewText: seed?.defaults.previewText ?? null,
  fromName: seed?.defaults.fromName ?? senderDefaults.fromName,
  fromAddress: seed?.defaults.fromAddress ?? senderDefaults.fromAddress,
  replyToEmail: seed?.defaults.replyToEmail ?? senderDefaults.replyToEmail,
  ...given,
})
