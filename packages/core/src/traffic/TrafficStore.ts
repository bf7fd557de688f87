// The port to page views: written in batches, read as counts.
import { Context, type DateTime, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../Ids.ts"
import type { Transaction } from "../Transactor.ts"
import type { Described } from "./Agents.ts"
import type { Counts, Day, Days, TopTent } from "./Analytics.ts"

export interface PageView extends Described {
  /** A UUID: a view that is written again under its id counts once. */
  readonly id: string
  readonly tentId: TentId
  readonly at: DateTime.Utc
  readonly visitor: Uint8Array
}

export class TrafficStore extends Context.Service<
  TrafficStore,
  {
    /** Views and all their sums; of tents that are gone too. */
    readonly record: (workspace: WorkspaceId, views: ReadonlyArray<PageView>) => Effect.Effect<void, never, Transaction>
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
