// What can be done with emails.
import { Context, DateTime, Effect, Layer } from "effect"
import { ApprovalId, EmailId, Ids, type WorkspaceId } from "../Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced } from "../Page.ts"
import { type Invalid, type InvalidState, NotFound } from "../Refusal.ts"
import { Transactor } from "../Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { type Email, EmailChange, type EmailStatus, plainTextOf } from "./Email.ts"
import type { EmailFields } from "./EmailFields.ts"
import type {
  ApprovalVersionStale,
  EmailInUse,
  EmailNotReady,
  HtmlTooLarge,
  TemplateNotReady,
} from "./EmailRefusals.ts"
import { EmailStore } from "./EmailStore.ts"
import { scaffold } from "./Scaffold.ts"
import { unresolvedTokens } from "./Tokens.ts"

/** An email to be made. Fields that are left out are taken from the workspace's sender defaults, as far as it has some. */
export type NewEmail = Partial<EmailFields> &
  Pick<EmailFields, "name"> & {
    /** Left out: a blank branded scaffold. */
    readonly html?: string
  }

export interface Approved {
  readonly email: Email
  /** Names of tokens that stand for nothing; they render as their fallback or empty. */
  readonly unresolvedTokens: ReadonlyArray<string>
}

export interface ListedBy {
  readonly status?: EmailStatus
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
    ) => Effect.Effect<Email, Invalid | HtmlTooLarge | NotFound>
    readonly find: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<Email, NotFound>
    readonly page: (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Sliced<Email>, BrokenCursor>
    readonly update: (
      workspace: WorkspaceId,
      id: EmailId,
      patch: Partial<EmailFields>,
    ) => Effect.Effect<Email, NotFound | Invalid>
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
  }
>()("tentpole/Emails") {
  static readonly layer = Layer.effect(
    Emails,
    Effect.gen(function* () {
      const store = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const apply = Effect.fnUntraced(function* (workspace: WorkspaceId, change: EmailChange) {
        if (!change.isNothing) yield* store.apply(workspace, change)
        return change.after
      })

      return Emails.of({
        create: Effect.fn("Emails.create")(function* (workspaceId, { html, name, ...fields }, createdByName) {
          const workspace = yield* workspaces.find(workspaceId)
          const change = yield* Effect.fromResult(
            EmailChange.create({
              id: EmailId.make(yield* ids.next),
              fields: { ...senderOf(workspace), ...fields, name },
              html: html ?? scaffold({ workspaceName: workspace.name, brand: workspace.brand }),
              createdByName,
              now: yield* DateTime.now,
            }),
          )
          return yield* transact(apply(workspaceId, change))
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

        content: Effect.fn("Emails.content")(function* (workspace, id, version) {
          if (version !== undefined) return yield* store.html(workspace, id, version)
          const { html } = yield* store.current(workspace, id)
          return html ?? (yield* new NotFound({ resource: "email version" }))
        }),

        setContent: Effect.fn("Emails.setContent")(function* (workspace, id, html) {
          const { email } = yield* store.lock(workspace, id)
          return yield* apply(
            workspace,
            yield* Effect.fromResult(EmailChange.setContent(email, html, yield* DateTime.now)),
          )
        }, transact),

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
          const { subject, fromName, plainText } = current.email
          const texts = [subject, fromName, current.html, plainText?.text ?? null]
          return {
            email: yield* apply(workspace, change),
            unresolvedTokens: unresolvedTokens(texts, new Set(facts.customFields)),
          }
        }, transact),

        unapprove: Effect.fn("Emails.unapprove")(function* (workspace, id) {
          const { email } = yield* store.lock(workspace, id)
          const change = EmailChange.unapprove(email, yield* store.uses(workspace, id), yield* DateTime.now)
          return yield* apply(workspace, yield* Effect.fromResult(change))
        }, transact),
      })
    }),
  )
}

const senderOf = ({ senderDefaults }: Workspace) => ({
  fromName: senderDefaults.fromName,
  fromAddress: senderDefaults.fromAddress,
  replyToEmail: senderDefaults.replyToEmail,
})
