// The port to page views: written as batches of sums, read as counts.
import { Context, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Counts, Day, Days, TopTent } from "./Analytics.ts"
import type { DaySum, DayVisitor, SingleView } from "./ViewBatch.ts"

/** A single view, stored for the list of recent views. */
export interface PageView extends SingleView {
  /** A UUID. Of two views at the same instant, the greater one is newer. */
  readonly id: string
}

export interface ViewBatch {
  /** A UUID. A batch that is written again under its id within a day counts once. */
  readonly id: string
  /** One for each tent, day, dimension and value. */
  readonly sums: ReadonlyArray<DaySum>
  /** A visitor that is already stored for its day adds no visit, so that known ones may be left out. */
  readonly visitors: ReadonlyArray<DayVisitor>
  readonly newest: ReadonlyArray<PageView>
}

export class TrafficStore extends Context.Service<
  TrafficStore,
  {
    /**
     * Adds a batch to the counts, of deleted tents too. A day stores 1,000 values of a dimension: of a batch's new values those
     * with the most views, then by code point. The rest counts as `other`. Concurrent writers keep to the limit too.
     */
    readonly record: (workspace: WorkspaceId, batch: ViewBatch) => Effect.Effect<void, never, Transaction>
    /** Counts of a tent, or (null) of the whole workspace. A visitor of two tents is one visit of the workspace. */
    readonly counts: (workspace: WorkspaceId, tent: TentId | null, days: Days) => Effect.Effect<Counts>
    /** The tents with the most views, 50 at most, without deleted ones. */
    readonly topTents: (workspace: WorkspaceId, days: Days) => Effect.Effect<ReadonlyArray<TopTent>>
    /** The salt of a day, the same for every process. Stores the offered one when the day has none. */
    readonly salt: (day: Day, offered: Uint8Array) => Effect.Effect<Uint8Array, never, Transaction>
    /** Deletes the salts of days before this one. */
    readonly forgetSalts: (before: Day) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/TrafficStore") {}
