// Use cases of suppressions, for a workspace itself and for operators. Imports write many at a time (`imports/ImportChunk.ts`).
import { Context, DateTime, Effect, Layer } from "effect"
import { AuditLog } from "../kernel/changes/AuditLog.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced, textId } from "../kernel/Page.ts"
import { Invalid, type NotFound } from "../kernel/Refusal.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { Suppression, SuppressionReason } from "./Suppression.ts"
import { SuppressionStore } from "./SuppressionStore.ts"

export interface ListedSuppressions {
  readonly cursor?: string
  readonly limit?: number
  readonly search?: string
  readonly reason?: SuppressionReason
}

/** Audit entries name the domain of an address only, not the address. */
const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1)

export class Suppressions extends Context.Service<
  Suppressions,
  {
    readonly list: (
      workspace: WorkspaceId,
      by: ListedSuppressions,
    ) => Effect.Effect<Sliced<Suppression>, BrokenCursor | NotFound>
    /** A weaker reason never replaces a stronger one. Returns the suppression in effect. Contacts stay as they are. */
    readonly suppress: (
      workspace: WorkspaceId,
      it: { readonly email: string; readonly reason: SuppressionReason },
    ) => Effect.Effect<Suppression, NotFound | Invalid>
    readonly unsuppress: (workspace: WorkspaceId, email: string) => Effect.Effect<void, NotFound>
  }
>()("tentpole/Suppressions") {
  static readonly layer = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* SuppressionStore
      const workspaces = yield* WorkspaceStore
      const audit = yield* AuditLog
      const { transact } = yield* Transactor

      const record = (workspaceId: WorkspaceId, action: "added" | "removed", { email, reason }: Suppression) =>
        audit.append([{ workspaceId, action: `suppression.${action}`, target: domainOf(email), details: { reason } }])

      return Suppressions.of({
        list: Effect.fn("Suppressions.list")(function* (workspace, { cursor, limit, search, reason }) {
          yield* workspaces.get(workspace)
          return yield* store.list(workspace, {
            after: cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor, textId)),
            limit: limit ?? page_limit_default,
            search: search?.toLowerCase() ?? null,
            reason: reason ?? null,
          })
        }),

        suppress: Effect.fn("Suppressions.suppress")(function* (workspace, { email, reason }) {
          const address = parseEmail(email)
          if (address === null) return yield* Invalid.at("email", "must be an email address, such as ann@example.com")
          yield* workspaces.lock(workspace)
          const createdAt = yield* DateTime.now
          const now = yield* store.suppress(workspace, { email: address.normalized, reason, createdAt })
          yield* record(workspace, "added", now)
          return now
        }, transact),

        unsuppress: Effect.fn("Suppressions.unsuppress")(function* (workspace, email) {
          yield* workspaces.lock(workspace)
          yield* record(
            workspace,
            "removed",
            yield* store.unsuppress(workspace, parseEmail(email)?.normalized ?? email),
          )
        }, transact),
      })
    }),
  )
}
