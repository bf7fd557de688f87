// NewEmail: the request for a new email, from HTML, a template, a prompt or a scaffold, and the draft that results.
import { type DateTime, Result } from "effect"
import { overrideOfCopy } from "../documents/Document.ts"
import type { HtmlTooLarge } from "../documents/DocumentErrors.ts"
import { promptIssues } from "../documents/Generation.ts"
import type { EmailId, EmailTemplateId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import type { ApprovedEmailTemplate } from "../templates/Template.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { type Email, EmailChange } from "./Email.ts"
import type { EmailFields } from "../documents/EmailFields.ts"
import { scaffold } from "../rendering/EmailLayout.ts"

/** Omitted fields come from the template, then from the workspace's sender defaults. */
export type NewEmail = Partial<EmailFields> &
  Pick<EmailFields, "name"> & {
    readonly html?: string
    /** An approved email template. */
    readonly templateId?: EmailTemplateId
    /** The prompt for the AI, which starts from the template if there is one. */
    readonly prompt?: string
  }

/** Facts for a draft. */
export interface DraftFacts {
  readonly id: EmailId
  readonly workspace: Workspace
  /** The template's approval; null without a template. */
  readonly seed: ApprovedEmailTemplate | null
  readonly createdByName: string
  readonly now: DateTime.Utc
}

/** An email has one source. Only a template can be combined with a prompt. */
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

/** Fields of the request win, null too; then the template's defaults, then the workspace's sender. */
export const fieldsOf = (
  { html: _html, templateId: _templateId, prompt: _prompt, ...given }: NewEmail,
  seed: ApprovedEmailTemplate | null,
  { senderDefaults }: Workspace,
): Partial<EmailFields> & Pick<EmailFields, "name"> => {
  const defaults = seed?.defaults
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
 * The draft of a request without a prompt; `html` is clean. A template's override of the plain text is copied, and is stale
 * if it was stale.
 */
export const draft = (
  request: NewEmail,
  { id, workspace, seed, createdByName, now }: DraftFacts,
): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> =>
  EmailChange.create({
    id,
    fields: { ...fieldsOf(request, seed, workspace), plainText: seed && overrideOfCopy(seed.plainText, seed.version) },
    html: request.html ?? seed?.html ?? scaffold(workspace),
    createdByName,
    now,
  })
