// The port to the contacts of imports that wait for their confirmation mail. A chunk of an import adds them in its transaction; each
// is deleted in the transaction that handles it. A contact that is deleted waits no more.
import { Context, type DateTime, type Effect } from "effect"
import type { ImportRunId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { WaitingConfirmation, WaitingKey } from "./WaitingConfirmation.ts"

/** A turn of a workspace with waiting contacts. Its token grows with each turn. */
export interface ConfirmationTurn {
  readonly workspace: WorkspaceId
  readonly token: string
}

export class ConfirmationQueue extends Context.Service<
  ConfirmationQueue,
  {
    /** Adds contacts, due now. One that waits for the same run already waits for the topics of both. Makes the workspace due. */
    readonly add: (
      workspace: WorkspaceId,
      waiting: ReadonlyArray<WaitingConfirmation>,
    ) => Effect.Effect<void, never, Transaction>
    /** Those that are due by `now`, the earliest first. */
    readonly due: (workspace: WorkspaceId, now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<WaitingKey>>
    /** Deletes and returns one. Null: another worker has handled it, or its contact was deleted. */
    readonly take: (
      workspace: WorkspaceId,
      key: WaitingKey,
    ) => Effect.Effect<WaitingConfirmation | null, never, Transaction>
    readonly postpone: (
      workspace: WorkspaceId,
      key: WaitingKey,
      until: DateTime.Utc,
    ) => Effect.Effect<void, never, Transaction>
    /** How many contacts of these runs wait. Runs without any are absent. */
    readonly counts: (
      workspace: WorkspaceId,
      runs: ReadonlyArray<ImportRunId>,
    ) => Effect.Effect<ReadonlyMap<ImportRunId, number>>
    /** Workspaces in which contacts may be due, the longest waiting first. No other worker gets them for `turn_ms`. */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<ConfirmationTurn>, never, Transaction>
    /** After a turn: the workspace is due again with its next contact, but not before `earliest`. */
    readonly endTurn: (turn: ConfirmationTurn, earliest: DateTime.Utc) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ConfirmationQueue") {}
