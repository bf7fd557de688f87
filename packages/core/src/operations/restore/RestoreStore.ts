// The port to the epoch, and to the blasts and flows that a restore has brought back.
import { Context, type DateTime, type Effect } from "effect"
import type { DeliveryState } from "../../sending/Delivery.ts"
import type { BlastId, DeliveryId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Restore, RestoredBlast, RestoredFlow } from "./Release.ts"

/** A delivery, and the fencing token under which it was sent in the lost time. */
export interface SentToken {
  readonly id: DeliveryId
  readonly token: number
}

export interface RestoredDelivery {
  readonly id: DeliveryId
  readonly state: DeliveryState
  /** Null: the contact had none, or was erased. */
  readonly address: string | null
}

export class RestoreStore extends Context.Service<
  RestoreStore,
  {
    readonly counter: Effect.Effect<number>
    /** Increments the counter and returns it. `journaled`: the worker has a send journal. Commits by itself. */
    readonly increment: (journaled: boolean) => Effect.Effect<number>
    /** Raises the counter of a database on which no worker has run. */
    readonly adopt: (counter: number) => Effect.Effect<void>
    /**
     * The database was restored: raises the counter, marks all blasts and flows as restored, and deletes test messages. False
     * when another worker has done so. Commits by itself.
     */
    readonly markRestored: (counter: number) => Effect.Effect<boolean>
    /** Null: no restore waits for its release. */
    readonly restore: Effect.Effect<Restore | null>
    /** Workspaces by id, after one. */
    readonly workspaces: (after: WorkspaceId | null, limit: number) => Effect.Effect<ReadonlyArray<WorkspaceId>>
    /** Restored blasts that are scheduled or sending, and restored flows. */
    readonly restored: (workspace: WorkspaceId) => Effect.Effect<{
      readonly blasts: ReadonlyArray<RestoredBlast>
      readonly flows: ReadonlyArray<RestoredFlow>
    }>
    /**
     * Marks up to `limit` open deliveries of a restored blast as unconfirmed, and returns their number. They are ended as by an
     * expired lease.
     */
    readonly unconfirm: (
      workspace: WorkspaceId,
      blast: BlastId,
      limit: number,
    ) => Effect.Effect<number, never, Transaction>
    /** The same for those that are `handed_over`. */
    readonly unconfirmHandedOver: (
      workspace: WorkspaceId,
      blast: BlastId,
      limit: number,
    ) => Effect.Effect<number, never, Transaction>
    /** The same for these. They get the tokens, so that outcomes with the same tokens can be settled. */
    readonly unconfirmSent: (
      workspace: WorkspaceId,
      blast: BlastId,
      sent: ReadonlyArray<SentToken>,
    ) => Effect.Effect<number, never, Transaction>
    /** Those of the deliveries that the blast has. */
    readonly deliveries: (
      workspace: WorkspaceId,
      blast: BlastId,
      ids: ReadonlyArray<DeliveryId>,
    ) => Effect.Effect<ReadonlyArray<RestoredDelivery>, never, Transaction>
    /** The same for messages of restored flows that were requested before an instant. */
    readonly unconfirmFlows: (
      workspace: WorkspaceId,
      before: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<number, never, Transaction>
    /** Sends again from now on. False if it was not restored, or was released before. */
    readonly releaseBlast: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<boolean, never, Transaction>
    readonly releaseFlow: (workspace: WorkspaceId, flow: FlowId) => Effect.Effect<boolean, never, Transaction>
    /** Releases the drafts and ended blasts of a workspace. */
    readonly releaseIdle: (workspace: WorkspaceId) => Effect.Effect<void, never, Transaction>
    /** Ends the restore: nothing waits any more. */
    readonly end: Effect.Effect<void>
  }
>()("tentpole/RestoreStore") {}
