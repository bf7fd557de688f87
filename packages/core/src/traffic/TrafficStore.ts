// The port to page views: written in batches that are added up already, read as counts.
import { Context, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Counts, Day, Days, TopTent } from "./Analytics.ts"
import type { DaySum, DayVisitor, SingleView } from "./ViewBatch.ts"

/** A single view, kept to be shown. */
export interface PageView extends SingleView {
  /** A UUID: of two views of one moment the greater is the newer. */
  readonly id: string
}

export interface ViewBatch {
  /** A UUID: a batch that is written again under its id counts once, for a day. */
  readonly id: string
  /** One for each tent, day, dimension and value. */
  readonly sums: ReadonlyArray<DaySum>
  /** Whoever was told of the day before, in whatever batch, makes no visit; so they may be left out. */
  readonly visitors: ReadonlyArray<DayVisitor>
  readonly newest: ReadonlyArray<PageView>
}

export class TrafficStore extends Context.Service<
  TrafficStore,
  {
    /**
     * Adds a batch up; of tents that are gone too. A day keeps 1,000 values of a dimension, whoever writes at once: in a
     * batch, of those that are new, the ones with the most views, then by code point. The rest counts as `other`.
     */
    readonly record: (workspace: WorkspaceId, batch: ViewBatch) => Effect.Effect<void, never, Transaction>
    /** Counts of a tent, or (null) of all of a workspace; a visitor of two tents is one visit of the workspace. */
    readonly counts: (workspace: WorkspaceId, tent: TentId | null, days: Days) => Effect.Effect<Counts>
    /** The tents with the most views, 50 at most; those that are gone are left out. */
    readonly topTents: (workspace: WorkspaceId, days: Days) => Effect.Effect<ReadonlyArray<TopTent>>
    /** The salt of a day, the same for every process: the one offered when the day has none. */
    readonly salt: (day: Day, offered: Uint8Array) => Effect.Effect<Uint8Array, never, Transaction>
    /** Throws away the salts of days before this one. */
    readonly forgetSalts: (before: Day) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/TrafficStore") {}
