// Emails: the use cases of emails.
import { Context, Effect, Layer } from "effect"
import type {
  ApprovalVersionStale,
  HtmlTooLarge,
  TemplateNotApproved,
  TemplateNotReady,
} from "../documents/DocumentErrors.ts"
import { type Created, type Documents, documents, type PlainTexts, type DocumentRules } from "../documents/Documents.ts"
import { type ContactId, EmailId, type WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { approvedNamed, designOf, EmailTemplateStore } from "../templates/TemplateStore.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { type Email, type EmailTypes, plainTextOf, misspeltOf, unknownTokensIn, EmailChange } from "./Email.ts"
import { UnknownTokens } from "./EmailErrors.ts"
import { EmailStore } from "./EmailStore.ts"
import { checkNewEmail, draft, fieldsOf, type NewEmail } from "./NewEmail.ts"
import { emailPreviews, type Preview, type UnsavedEmail, type UnsavedPreview } from "./Preview.ts"
import type { MessageTooLarge } from "../rendering/MessageTooLarge.ts"
import { decideWith, Parsers } from "../ports/Parsers.ts"
import { Ai } from "../ports/Ai.ts"
import { documentGenerations } from "../documents/GenerationRunner.ts"
import { storableEmail } from "../documents/EmailFields.ts"

export const emailRules = Effect.gen(function* () {
  const store = yield* EmailStore
  const ai = yield* Ai
  const rules: DocumentRules<EmailTypes> = {
    machine: EmailChange,
    store,
    storable: yield* storableEmail,
    ask: ai.generateEmail,
    provider: ai.provider,
    toId: (uuid) => EmailId.make(uuid),
    facts: store.facts,
  }
  return rules
})

export const emailGenerations = Effect.flatMap(emailRules, (rules) => documentGenerations("Emails", rules))

export interface ApproveEmail {
  readonly version?: number
  /** Approves the email even if a token looks like a misspelt one. */
  readonly allowUnknownTokens?: boolean
}

export interface Approved {
  readonly email: Email
  /** Names of unknown tokens. They render as their fallback or empty. */
  readonly unresolvedTokens: ReadonlyArray<string>
}

export class Emails extends Context.Service<
  Emails,
  Omit<Documents<EmailTypes>, "approve"> &
    PlainTexts<EmailTypes> & {
      readonly create: (
        workspace: WorkspaceId,
        email: NewEmail,
        createdByName: string,
      ) => Effect.Effect<
        Created<EmailTypes>,
        Invalid | HtmlTooLarge | NotFound | TemplateNotApproved | InsufficientCredits
      >
      readonly approve: (
        workspace: WorkspaceId,
        id: EmailId,
        options: ApproveEmail,
      ) => Effect.Effect<
        Approved,
        NotFound | EmailTypes["notReady"] | UnknownTokens | ApprovalVersionStale | TemplateNotReady
      >
      /** The current version, approved or not, rendered for this contact, or for a sample contact. */
      readonly preview: (
        workspace: WorkspaceId,
        id: EmailId,
        contact?: ContactId,
      ) => Effect.Effect<Preview, NotFound | TemplateNotReady | MessageTooLarge>
      /** As `preview`, of fields and HTML that are not stored. The HTML is cleaned as before it is stored. */
      readonly previewUnsaved: (
        workspace: WorkspaceId,
        id: EmailId,
        unsaved: UnsavedEmail,
        contact?: ContactId,
      ) => Effect.Effect<UnsavedPreview, NotFound | Invalid | HtmlTooLarge | TemplateNotReady | MessageTooLarge>
    }
>()("tentpole/Emails") {
  static readonly layer = Layer.effect(
    Emails,
    Effect.gen(function* () {
      const store = yield* EmailStore
      const templates = yield* EmailTemplateStore
      const workspaces = yield* WorkspaceStore
      const shared = yield* documents("Emails", yield* emailRules)
      const parsers = yield* Parsers

      return Emails.of({
        ...shared.verbs,
        ...shared.plainTexts(plainTextOf),
        ...(yield* emailPreviews),

        create: Effect.fn("Emails.create")(function* (workspaceId, email, createdByName) {
          yield* Effect.fromResult(checkNewEmail(email))
          const { html, prompt, templateId } = email
          const workspace = yield* workspaces.get(workspaceId)
          const seed = templateId === undefined ? null : yield* approvedNamed(templates, workspaceId, templateId)
          if (prompt !== undefined) {
            const fields = fieldsOf(email, seed, workspace)
            const basis = seed === null ? {} : { basis: seed.html }
            return yield* shared.createByPrompt(workspaceId, { fields, prompt, createdByName, ...basis })
          }
          const clean = html === undefined ? email : { ...email, html: yield* shared.storableHtml(html, workspaceId) }
          const design =
            seed === null || templateId === undefined ? null : yield* designOf(templates, workspaceId, templateId, seed)
          const facts = { ...(yield* shared.start(createdByName)), workspace, seed, design }
          const decided = yield* Effect.orDie(decideWith(parsers, workspaceId)((parse) => draft(clean, facts, parse)))
          return yield* shared.created(workspaceId, yield* Effect.fromResult(decided))
        }),

        approve: Effect.fn("Emails.approve")(function* (workspace, id, options) {
          const { allowUnknownTokens = false, ...approval } = options
          const { document, checked } = yield* shared.approve(workspace, id, approval, (locked) =>
            Effect.gen(function* () {
              const { customFields } = yield* store.facts(workspace)
              const unknown = yield* Effect.orDie(
                decideWith(parsers, workspace)((parse) => unknownTokensIn(locked, customFields, parse)),
              )
              const tokens = misspeltOf(unknown)
              if (tokens.length > 0 && !allowUnknownTokens) return yield* new UnknownTokens({ tokens })
              return unknown
            }),
          )
          return { email: document, unresolvedTokens: checked.map(({ token }) => token) }
        }),
      })
    }),
  )
}
