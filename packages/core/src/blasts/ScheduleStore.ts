// The port of schedules, by the store's clock. A blast that two workers find is launched once: the launch locks it.
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
     * Workspaces that may have a due blast, earliest first, at most `limit`. No other worker receives them for `turn_ms`: so
     * workers share the work, and another worker soon takes over the workspaces of one that died.
     */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<WorkspaceId>, never, Transaction>
    readonly due: (workspace: WorkspaceId, limit: number) => Effect.Effect<DueSchedules>
    /** After a turn: stores when the workspace's next blast is due, if there is one. */
    readonly endTurn: (workspace: WorkspaceId) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ScheduleStore") {}
