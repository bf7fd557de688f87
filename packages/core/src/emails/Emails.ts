// What can be done with emails. The API calls these, the worker calls `generate` and `giveUp`.
import { Context, DateTime, Effect, Layer } from "effect"
import type { ContentStatus } from "../documents/Approval.ts"
import { checkPrompt, type Generation, type GenerationInProgress } from "../documents/Generation.ts"
import { ApprovalId, type ContactId, EmailId, GenerationId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { Jobs } from "../kernel/Jobs.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced } from "../kernel/Page.ts"
import { type Invalid, type InvalidState, NotFound } from "../kernel/Refusal.ts"
import { approvedNamed } from "../templates/NamedTemplate.ts"
import { EmailTemplateStore } from "../templates/TemplateStore.ts"
import { Transactor } from "../kernel/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { type Email, plainTextOf, unresolvedIn } from "./Email.ts"
import { EmailChange } from "./EmailChange.ts"
import type { EmailFields } from "./EmailFields.ts"
import { keepableEmail } from "./EmailInput.ts"
import type {
  ApprovalVersionStale,
  EmailInUse,
  EmailNotReady,
  HtmlTooLarge,
  TemplateNotApproved,
  TemplateNotReady,
} from "./EmailErrors.ts"
import { EmailStore } from "./EmailStore.ts"
import { generation } from "./EmailGeneration.ts"
import { checkNewEmail, draft, fieldsOf, type NewEmail } from "./NewEmail.ts"
import { type Preview, previewing } from "./Preview.ts"

export interface Made {
  readonly email: Email
  /** The generation that writes it; null when it is there already. */
  readonly generationId: GenerationId | null
}

export interface Approved {
  readonly email: Email
  /** Names of tokens that stand for nothing; they render as their fallback or empty. */
  readonly unresolvedTokens: ReadonlyArray<string>
}

export interface ListedBy {
  readonly status?: ContentStatus
  readonly search?: string
  readonly cursor?: string
  readonly limit?: number
}

export class Emails extends Context.Service<
  Emails,
  {
    readonly create: (
      workspace: WorkspaceId,
      email: NewEmail,
      createdByName: string,
    ) => Effect.Effect<Made, Invalid | HtmlTooLarge | NotFound | TemplateNotApproved | InsufficientCredits>
    readonly find: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<Email, NotFound>
    readonly page: (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Sliced<Email>, BrokenCursor>
    readonly update: (
      workspace: WorkspaceId,
      id: EmailId,
      patch: Partial<EmailFields>,
    ) => Effect.Effect<Email, NotFound | Invalid>
    /** Its versions and generations go with it; what blasts have sent stays. */
    readonly remove: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<void, NotFound | EmailInUse>
    /** A draft of its own with everything that the email says now. */
    readonly duplicate: (
      workspace: WorkspaceId,
      id: EmailId,
      createdByName: string,
    ) => Effect.Effect<Email, NotFound | TemplateNotReady>
    /** The HTML of a version, or of the current one. */
    readonly content: (workspace: WorkspaceId, id: EmailId, version?: number) => Effect.Effect<string, NotFound>
    readonly setContent: (
      workspace: WorkspaceId,
      id: EmailId,
      html: string,
    ) => Effect.Effect<Email, NotFound | Invalid | HtmlTooLarge>
    /** The override, or the text made from the current HTML. */
    readonly plainText: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<string, NotFound>
    /** Null goes back to the text made from the HTML. */
    readonly setPlainText: (
      workspace: WorkspaceId,
      id: EmailId,
      text: string | null,
    ) => Effect.Effect<Email, NotFound | Invalid>
    readonly approve: (
      workspace: WorkspaceId,
      id: EmailId,
      options: { readonly version?: number },
    ) => Effect.Effect<Approved, NotFound | EmailNotReady | ApprovalVersionStale | TemplateNotReady>
    readonly unapprove: (
      workspace: WorkspaceId,
      id: EmailId,
    ) => Effect.Effect<Email, NotFound | InvalidState | EmailInUse>
    /** The current version, approved or not, as this contact would read it; without one, as a sample contact would. */
    readonly preview: (
      workspace: WorkspaceId,
      id: EmailId,
      contact?: ContactId,
    ) => Effect.Effect<Preview, NotFound | TemplateNotReady>
    /** Asks the AI for a new version. */
    readonly startGeneration: (
      workspace: WorkspaceId,
      id: EmailId,
      asked: Pick<Generation, "prompt" | "createdByName">,
    ) => Effect.Effect<Generation, NotFound | Invalid | GenerationInProgress | InsufficientCredits>
    readonly generation: (
      workspace: WorkspaceId,
      id: EmailId,
      generation: GenerationId,
    ) => Effect.Effect<Generation, NotFound>
    /**
     * The worker's part: asks the AI and keeps what it writes. May be called again, and by two at once: what is over stays
     * as it is.
     */
    readonly generate: (workspace: WorkspaceId, id: EmailId, generation: GenerationId) => Effect.Effect<void>
    /** The generation broke its workers off, and fails: the credit goes back. One that is over stays as it is. */
    readonly giveUp: (workspace: WorkspaceId, id: EmailId, generation: GenerationId) => Effect.Effect<void>
  }
>()("tentpole/Emails") {
  static readonly layer = Layer.effect(
    Emails,
    Effect.gen(function* () {
      const store = yield* EmailStore
      const templates = yield* EmailTemplateStore
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const jobs = yield* Jobs

      /** The change, and the jobs that it asks for. */
      const write = Effect.fnUntraced(function* <After extends Email | null>(
        workspace: WorkspaceId,
        change: EmailChange<After>,
      ) {
        if (!change.isNothing) yield* store.apply(workspace, change)
        for (const { id, ...job } of change.jobs) yield* jobs.enqueue({ ...job, workspaceId: workspace }, { id })
        return change.after
      })
      /** One that takes no credits. */
      const apply = <After extends Email | null>(workspace: WorkspaceId, change: EmailChange<After>) =>
        Effect.catchTag(write(workspace, change), "InsufficientCredits", Effect.die)

      const keep = yield* keepableEmail
      const cleaned = (html: string) => Effect.fromResult(keep(html))

      const first = Effect.fnUntraced(function* (workspaceId: WorkspaceId, asked: NewEmail, createdByName: string) {
        yield* Effect.fromResult(checkNewEmail(asked))
        const { html, prompt, templateId } = asked
        const workspace = yield* workspaces.find(workspaceId)
        const seed = templateId === undefined ? null : yield* approvedNamed(templates, workspaceId, templateId)
        const begun = { id: EmailId.make(yield* ids.next), createdByName, now: yield* DateTime.now }
        if (prompt === undefined) {
          const clean = html === undefined ? asked : { ...asked, html: yield* cleaned(html) }
          return yield* Effect.fromResult(draft(clean, { ...begun, workspace, seed }))
        }
        const generationAsked = { id: GenerationId.make(yield* ids.next), prompt, createdByName }
        const fields = fieldsOf(asked, seed, workspace)
        return yield* Effect.fromResult(
          EmailChange.createByPrompt({ ...begun, fields, basis: seed?.html ?? null, asked: generationAsked }),
        )
      })

      return Emails.of({
        create: Effect.fn("Emails.create")(function* (workspace, asked, createdByName) {
          const change = yield* first(workspace, asked, createdByName)
          const email = yield* transact(write(workspace, change))
          return { email, generationId: change.generation?.after.id ?? null }
        }),

        find: store.find,

        page: Effect.fn("Emails.page")(function* (workspace, { status, search, cursor, limit }) {
          const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
          return yield* store.page(workspace, {
            status: status ?? null,
            search: search ?? null,
            after,
            limit: limit ?? page_limit_default,
          })
        }),

        update: Effect.fn("Emails.update")(function* (workspace, id, patch) {
          const current = yield* store.lock(workspace, id)
          return yield* apply(
            workspace,
            yield* Effect.fromResult(EmailChange.update(current, patch, yield* DateTime.now)),
          )
        }, transact),

        remove: Effect.fn("Emails.remove")(function* (workspace, id) {
          const current = yield* store.lock(workspace, id)
          const change = EmailChange.remove(current, yield* store.uses(workspace, id))
          yield* apply(workspace, yield* Effect.fromResult(change))
        }, transact),

        duplicate: Effect.fn("Emails.duplicate")(function* (workspace, id, createdByName) {
          const current = yield* store.current(workspace, id)
          const made = { id: EmailId.make(yield* ids.next), createdByName, now: yield* DateTime.now }
          return yield* transact(apply(workspace, yield* Effect.fromResult(EmailChange.duplicate(current, made))))
        }),

        content: Effect.fn("Emails.content")(function* (workspace, id, version) {
          if (version !== undefined) return yield* store.html(workspace, id, version)
          const { html } = yield* store.current(workspace, id)
          return html ?? (yield* new NotFound({ resource: "email version" }))
        }),

        setContent: Effect.fn("Emails.setContent")(function* (workspace, id, html) {
          const clean = yield* cleaned(html)
          return yield* transact(
            Effect.gen(function* () {
              const { email } = yield* store.lock(workspace, id)
              const change = EmailChange.setContent(email, clean, yield* DateTime.now)
              return yield* apply(workspace, yield* Effect.fromResult(change))
            }),
          )
        }),

        plainText: Effect.fn("Emails.plainText")(function* (workspace, id) {
          return plainTextOf(yield* store.current(workspace, id))
        }),

        setPlainText: Effect.fn("Emails.setPlainText")(function* (workspace, id, text) {
          const { email } = yield* store.lock(workspace, id)
          return yield* apply(
            workspace,
            yield* Effect.fromResult(EmailChange.setPlainText(email, text, yield* DateTime.now)),
          )
        }, transact),

        approve: Effect.fn("Emails.approve")(function* (workspace, id, options) {
          const current = yield* store.lock(workspace, id)
          const facts = yield* store.facts(workspace)
          const approvalId = ApprovalId.make(yield* ids.next)
          const change = yield* Effect.fromResult(
            EmailChange.approve(current, facts, { ...options, approvalId }, yield* DateTime.now),
          )
          return {
            email: yield* apply(workspace, change),
            unresolvedTokens: unresolvedIn(current, facts.customFields),
          }
        }, transact),

        unapprove: Effect.fn("Emails.unapprove")(function* (workspace, id) {
          const { email } = yield* store.lock(workspace, id)
          const change = EmailChange.unapprove(email, yield* store.uses(workspace, id), yield* DateTime.now)
          return yield* apply(workspace, yield* Effect.fromResult(change))
        }, transact),

        preview: yield* previewing,

        startGeneration: Effect.fn("Emails.startGeneration")(function* (workspace, id, { prompt, createdByName }) {
          yield* Effect.fromResult(checkPrompt(prompt))
          const current = yield* store.lock(workspace, id)
          const asked = { id: GenerationId.make(yield* ids.next), prompt, createdByName }
          const change = yield* Effect.fromResult(EmailChange.generate(current, asked, yield* DateTime.now))
          yield* write(workspace, change)
          return change.generation?.after ?? (yield* Effect.die("an accepted generation is there"))
        }, transact),

        generation: store.generation,

        ...(yield* generation),
      })
    }),
  )
}
