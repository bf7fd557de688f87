// The port to suppressions: the addresses of a workspace that receive no mail.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Suppression, SuppressionReason } from "./Suppression.ts"

/** A slice of the suppressions, newest first, ties by address. The cursor's id is the address. */
export interface SuppressionQuery {
  readonly after: Cursor | null
  readonly limit: number
  /** A literal part of the address, in lower case; null: all addresses. */
  readonly search: string | null
  /** Null: all reasons. */
  readonly reason: SuppressionReason | null
}

export class SuppressionStore extends Context.Service<
  SuppressionStore,
  {
    readonly list: (workspace: WorkspaceId, query: SuppressionQuery) => Effect.Effect<Sliced<Suppression>>
    /** The suppression of an address. */
    readonly get: (workspace: WorkspaceId, email: string) => Effect.Effect<Suppression, NotFound>
    /** The suppressions of these addresses, in no order, locked: until the transaction ends no other changes them. */
    readonly lock: (
      workspace: WorkspaceId,
      emails: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<Suppression>, never, Transaction>
    /** Suppresses an address, replacing a weaker suppression. Returns the suppression in effect. */
    readonly suppress: (
      workspace: WorkspaceId,
      suppression: Suppression,
    ) => Effect.Effect<Suppression, never, Transaction>
    readonly unsuppress: (workspace: WorkspaceId, email: string) => Effect.Effect<Suppression, NotFound, Transaction>
  }
>()("tentpole/SuppressionStore") {}
