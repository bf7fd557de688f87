// An email for something that sends: there already, or made for it. Blasts and the steps of flows choose theirs alike.
import { DateTime, Effect, Result } from "effect"
import { document_name_length_max } from "../documents/Document.ts"
import type { HtmlTooLarge } from "../documents/DocumentErrors.ts"
import { EmailId, type EmailTemplateId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import { approvedNamed } from "../templates/NamedTemplate.ts"
import { EmailTemplateStore } from "../templates/TemplateStore.ts"
import { nameWith } from "../kernel/Text.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { Email } from "./Email.ts"
import type { EmailChange } from "./EmailChange.ts"
import type { EmailFields } from "../documents/EmailFields.ts"
import { storableEmail } from "../documents/EmailInput.ts"
import { EmailStore } from "./EmailStore.ts"
import { draft, type DraftFacts } from "./NewEmail.ts"

export interface ExistingEmail {
  readonly source: "existing"
  readonly emailId: EmailId
}

export interface InlineEmail {
  readonly source: "inline"
  /** Without a name it is derived from its owner's; what is left out, taken from the template, then the workspace. */
  readonly fields: Partial<EmailFields>
  /** An approved email template to begin with; not together with `html`. */
  readonly templateId?: EmailTemplateId
  /** With neither a blank branded scaffold. */
  readonly html?: string
}

export type EmailChoice = ExistingEmail | InlineEmail

/** The email that was chosen, and what writes it where it was made for its owner. */
export interface ChosenEmail {
  readonly emailId: EmailId
  readonly source: EmailChoice["source"]
  readonly made: EmailChange<Email> | null
}

/** The draft of an email, made for the owner of that name. */
export const inlineEmail = (
  owner: { readonly name: string },
  { fields, html }: InlineEmail,
  made: DraftFacts,
): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> => {
  const name = fields.name ?? nameWith(owner.name, " email", document_name_length_max)
  return draft({ ...fields, name, ...(html === undefined ? {} : { html }) }, made)
}

/** What a choice comes to, asked of the rooms that know; `clean` first, outside the transaction. */
export const choosingEmail = Effect.gen(function* () {
  const emails = yield* EmailStore
  const templates = yield* EmailTemplateStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const keep = yield* storableEmail

  /** HTML of an inline email, as far as it may be kept. */
  const clean = (choice: EmailChoice): Effect.Effect<EmailChoice, Invalid | HtmlTooLarge> =>
    Effect.fromResult(
      choice.source === "existing" || choice.html === undefined
        ? Result.succeed(choice)
        : Result.map(keep(choice.html), (html) => ({ ...choice, html })),
    )

  /** `by`: who is named as the maker of an inline email. */
  const choose = Effect.fnUntraced(function* (
    ws: WorkspaceId,
    owner: { readonly name: string },
    choice: EmailChoice,
    by: string,
  ) {
    if (choice.source === "existing") {
      const { id } = yield* emails
        .get(ws, choice.emailId)
        .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "email", path: "email_id" })))
      const existing: ChosenEmail = { emailId: id, source: "existing", made: null }
      return existing
    }
    const seed = choice.templateId === undefined ? null : yield* approvedNamed(templates, ws, choice.templateId)
    const id = EmailId.make(yield* ids.next)
    const workspace = yield* Effect.orDie(workspaces.get(ws))
    const now = yield* DateTime.now
    const made = yield* Effect.fromResult(inlineEmail(owner, choice, { id, workspace, seed, createdByName: by, now }))
    const inline: ChosenEmail = { emailId: id, source: "inline", made }
    return inline
  })

  return { clean, choose }
})
