// A new email, from HTML, a template, a prompt or a scaffold, and the choice of an email by a blast or a flow step.
import { DateTime, Result, Effect } from "effect"
import { Actor } from "../kernel/changes/Actor.ts"
import { type Design, document_name_length_max, type Edit, overrideOfCopy } from "../documents/Document.ts"
import type { HtmlTooLarge } from "../documents/DocumentErrors.ts"
import { promptIssues } from "../documents/Generation.ts"
import { EmailId, type EmailTemplateId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { Invalid, type Issue, NotFound } from "../kernel/Refusal.ts"
import type { ApprovedEmailTemplate } from "../templates/Template.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { type Email, EmailChange } from "./Email.ts"
import { type EmailFields, storableEmail } from "../documents/EmailFields.ts"
import { scaffold } from "../rendering/EmailLayout.ts"
import { approvedNamed, designOf, EmailTemplateStore } from "../templates/TemplateStore.ts"
import { type Parse, parseNow, decideWith, Parsers } from "../ports/Parsers.ts"
import { nameWith } from "../kernel/Text.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { EmailStore } from "./EmailStore.ts"

/** Omitted fields come from the template, then from the workspace's sender defaults. */
export type NewEmail = Partial<EmailFields> &
  Pick<EmailFields, "name"> & {
    readonly html?: string
    /** An approved email template. */
    readonly templateId?: EmailTemplateId
    /** The prompt for the AI, which starts from the template if there is one. */
    readonly prompt?: string
  }

interface DraftFacts extends Edit {
  readonly id: EmailId
  readonly workspace: Workspace
  /** The template's approval; null without a template. */
  readonly seed: ApprovedEmailTemplate | null
  /** The design of that approved version. */
  readonly design?: Design | null
  readonly createdByName: string
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

/** The draft of a request without a prompt; `html` is clean. A stale plain text of the template stays stale. */
export const draft = (
  request: NewEmail,
  { workspace, seed, design = null, ...started }: DraftFacts,
  parse: Parse = parseNow,
): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> => {
  const fields = fieldsOf(request, seed, workspace)
  const input = {
    ...started,
    fields: { ...fields, plainText: seed && overrideOfCopy(seed.plainText, seed.version) },
    html: request.html ?? seed?.html ?? scaffold(workspace),
    design: request.html === undefined ? design : null,
    madeBy: request.html === undefined && seed !== null ? ("template" as const) : ("upload" as const),
  }
  return EmailChange.create(input, parse)
}

export interface ExistingEmail {
  readonly source: "existing"
  readonly emailId: EmailId
}

export interface InlineEmail {
  readonly source: "inline"
  /** The name defaults to the owner's; other fields to those of the template, then of the workspace. */
  readonly fields: Partial<EmailFields>
  /** An approved email template to start from; not together with `html`. */
  readonly templateId?: EmailTemplateId
  /** Without `html` and `templateId` the email is a branded scaffold. */
  readonly html?: string
}

export type EmailChoice = ExistingEmail | InlineEmail

/** The chosen email, and the change that creates an inline one. */
interface ChosenEmail {
  readonly emailId: EmailId
  readonly source: EmailChoice["source"]
  readonly change: EmailChange<Email> | null
}

/** Resolves choices of emails. Call `clean` first, outside the transaction, then `choose`. */
export const emailChooser = Effect.gen(function* () {
  const emails = yield* EmailStore
  const templates = yield* EmailTemplateStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const storable = yield* storableEmail
  const parsers = yield* Parsers

  const clean = (workspaceId: WorkspaceId, choice: EmailChoice): Effect.Effect<EmailChoice, Invalid | HtmlTooLarge> =>
    choice.source === "existing" || choice.html === undefined
      ? Effect.succeed(choice)
      : storable(choice.html, workspaceId).pipe(
          Effect.map((html) => ({ ...choice, html })),
          Effect.catchTag("TooComplex", Effect.die),
        )

  /** `by`: the creator's name for an inline email. */
  const choose = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    owner: { readonly name: string },
    choice: EmailChoice,
    by: string,
  ) {
    if (choice.source === "existing") {
      const { id } = yield* emails
        .get(workspaceId, choice.emailId)
        .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "email", path: "email_id" })))
      return { emailId: id, source: "existing", change: null } satisfies ChosenEmail
    }
    const seed =
      choice.templateId === undefined ? null : yield* approvedNamed(templates, workspaceId, choice.templateId)
    const design =
      seed === null || choice.templateId === undefined
        ? null
        : yield* designOf(templates, workspaceId, choice.templateId, seed)
    const id = EmailId.make(yield* ids.next)
    const workspace = yield* Effect.orDie(workspaces.get(workspaceId))
    const edit = { by: yield* Actor, now: yield* DateTime.now }
    const name = choice.fields.name ?? nameWith(owner.name, " email", document_name_length_max)
    const request = { ...choice.fields, name, ...(choice.html === undefined ? {} : { html: choice.html }) }
    const facts = { id, workspace, seed, design, createdByName: by, ...edit }
    const decided = yield* Effect.orDie(decideWith(parsers, workspaceId)((parse) => draft(request, facts, parse)))
    const change = yield* Effect.fromResult(decided)
    return { emailId: id, source: "inline", change } satisfies ChosenEmail
  })

  return { clean, choose }
})
