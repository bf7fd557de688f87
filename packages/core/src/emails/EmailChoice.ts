// The email of a blast or a flow step: an existing one, or one created inline.
import { DateTime, Effect, Result } from "effect"
import { document_name_length_max } from "../documents/Document.ts"
import type { HtmlTooLarge } from "../documents/DocumentErrors.ts"
import { EmailId, type EmailTemplateId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import { approvedNamed, EmailTemplateStore } from "../templates/TemplateStore.ts"
import { nameWith } from "../kernel/Text.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { Email, EmailChange } from "./Email.ts"
import { type EmailFields, storableEmail } from "../documents/EmailFields.ts"
import { EmailStore } from "./EmailStore.ts"
import { draft, type DraftFacts } from "./NewEmail.ts"

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
export interface ChosenEmail {
  readonly emailId: EmailId
  readonly source: EmailChoice["source"]
  readonly change: EmailChange<Email> | null
}

/** The draft of an inline email for the owner of this name. */
export const inlineEmail = (
  owner: { readonly name: string },
  { fields, html }: InlineEmail,
  facts: DraftFacts,
): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> => {
  const name = fields.name ?? nameWith(owner.name, " email", document_name_length_max)
  return draft({ ...fields, name, ...(html === undefined ? {} : { html }) }, facts)
}

/** Resolves choices of emails. Call `clean` first, outside the transaction, then `choose`. */
export const emailChooser = Effect.gen(function* () {
  const emails = yield* EmailStore
  const templates = yield* EmailTemplateStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const storable = yield* storableEmail

  /** Cleans and validates the HTML of an inline email. */
  const clean = (choice: EmailChoice): Effect.Effect<EmailChoice, Invalid | HtmlTooLarge> =>
    Effect.fromResult(
      choice.source === "existing" || choice.html === undefined
        ? Result.succeed(choice)
        : Result.map(storable(choice.html), (html) => ({ ...choice, html })),
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
      const existing: ChosenEmail = { emailId: id, source: "existing", change: null }
      return existing
    }
    const seed =
      choice.templateId === undefined ? null : yield* approvedNamed(templates, workspaceId, choice.templateId)
    const id = EmailId.make(yield* ids.next)
    const workspace = yield* Effect.orDie(workspaces.get(workspaceId))
    const now = yield* DateTime.now
    const change = yield* Effect.fromResult(inlineEmail(owner, choice, { id, workspace, seed, createdByName: by, now }))
    const inline: ChosenEmail = { emailId: id, source: "inline", change }
    return inline
  })

  return { clean, choose }
})
