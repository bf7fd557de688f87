// The port of schedules: which blasts have come to their time, by the store's own clock. Nothing of it is kept in a process:
// whichever worker asks is told, and two that are told the same fire a blast once, since firing locks it.
import { Context, type DateTime, type Effect } from "effect"
import type { BlastId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"

export interface DueSchedules {
  /** By the store's clock; no later than when any of `blasts` is locked. */
  readonly now: DateTime.Utc
  /** Scheduled for `now` or before, the earliest first, ties by id. */
  readonly blasts: ReadonlyArray<BlastId>
}

export class ScheduleStore extends Context.Service<
  ScheduleStore,
  {
    /**
     * Workspaces that may have a blast whose time has come, the earliest first, at most `limit`. Nobody else is told of
     * them for `turn_ms`: workers share the work, and what one that dies has taken is soon another's.
     */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<WorkspaceId>, never, Transaction>
    readonly due: (workspace: WorkspaceId, limit: number) => Effect.Effect<DueSchedules>
    /** After a turn: notes when the workspace's next blast is due, if there is any. */
    readonly rest: (workspace: WorkspaceId) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ScheduleStore") {}
