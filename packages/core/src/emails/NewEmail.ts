// An email to be made: of HTML, of a template, by the AI, or blank. What is asked for is checked here, and put together from
// what is given, what the template's approval froze, and what the workspace sends by.
import { type DateTime, Result } from "effect"
import { promptIssues } from "../documents/Generation.ts"
import { asOfFirst } from "../documents/PlainTextOverride.ts"
import type { EmailId, EmailTemplateId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import type { ApprovedTemplate } from "../templates/Template.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import type { Email } from "./Email.ts"
import { EmailChange } from "./EmailChange.ts"
import type { EmailFields } from "./EmailFields.ts"
import type { HtmlTooLarge } from "./EmailErrors.ts"
import { scaffold } from "./EmailScaffold.ts"

/** Fields that are left out are taken from the template, then from the workspace's sender defaults, as far as they have some. */
export type NewEmail = Partial<EmailFields> &
  Pick<EmailFields, "name"> & {
    readonly html?: string
    /** An approved email template. */
    readonly templateId?: EmailTemplateId
    /** The AI writes it, on top of the template if there is one. */
    readonly prompt?: string
  }

/** What a draft is made with besides what is asked for. */
export interface DraftFacts {
  readonly id: EmailId
  readonly workspace: Workspace
  /** What the approval of the template froze; null without one. */
  readonly seed: ApprovedTemplate<"email"> | null
  readonly createdByName: string
  readonly now: DateTime.Utc
}

/** An email is made of one thing; only a template may have a prompt besides. */
export const checkNewEmail = ({ html, templateId, prompt }: NewEmail): Result.Result<void, Invalid> => {
  const issues: ReadonlyArray<Issue> = [
    ...(html !== undefined && templateId !== undefined
      ? [{ path: "template_id", message: "can't be combined with html" }]
      : []),
    ...(html !== undefined && prompt !== undefined
      ? [
          {
            path: "prompt",
            message: "can't be combined with html: create the email from html, then request a generation",
          },
        ]
      : []),
    ...(prompt === undefined ? [] : promptIssues(prompt)),
  ]
  return issues.length === 0 ? Result.void : Result.fail(new Invalid({ issues }))
}

/** What is given wins, also where it says that there is none; then the template, then the workspace. */
export const fieldsOf = (
  { html: _html, templateId: _templateId, prompt: _prompt, ...given }: NewEmail,
  seed: ApprovedTemplate<"email"> | null,
  { senderDefaults }: Workspace,
): Partial<EmailFields> & Pick<EmailFields, "name"> => {
  const defaults = seed?.mail.defaults
  return {
    subject: defaults?.subject ?? null,
    previewText: defaults?.previewText ?? null,
    fromName: defaults?.fromName ?? senderDefaults.fromName,
    fromAddress: defaults?.fromAddress ?? senderDefaults.fromAddress,
    replyToEmail: defaults?.replyToEmail ?? senderDefaults.replyToEmail,
    ...given,
  }
}

/**
 * The draft of what is asked for without a prompt; `html` is clean. Of a template it takes over the plain text that the user
 * wrote too; one that was stale there stays so.
 */
export const draft = (
  asked: NewEmail,
  { id, workspace, seed, createdByName, now }: DraftFacts,
): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> =>
  EmailChange.create({
    id,
    fields: fieldsOf(asked, seed, workspace),
    html: asked.html ?? seed?.html ?? scaffold({ workspaceName: workspace.name, brand: workspace.brand }),
    plainText: seed && asOfFirst(seed.mail.plainText, seed.version),
    createdByName,
    now,
  })
