// The use cases of traffic: reports of the page views of a tent or a workspace.
import { Context, DateTime, Effect, Layer } from "effect"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { readTentName, root } from "../tents/Alias.ts"
import { findNamed } from "../tents/Tents.ts"
import { TentStore } from "../tents/TentStore.ts"
import { rangeOf } from "../blasts/figures/EmailAnalytics.ts"
import { daysBetween, daysUntil, type TrafficReport, type TopTent, toTrafficReport } from "./Analytics.ts"
import { TrafficStore } from "./TrafficStore.ts"

type WorkspaceTraffic = TrafficReport & { readonly topTents: ReadonlyArray<TopTent> }

export class Traffic extends Context.Service<
  Traffic,
  {
    /** Of one tent, by id, current alias, or `/` for the root. */
    readonly ofTent: (
      workspace: WorkspaceId,
      name: string,
      days_back: number,
    ) => Effect.Effect<TrafficReport & { readonly tentId: TentId }, Invalid | NotFound>
    readonly ofWorkspace: (workspace: WorkspaceId, days_back: number) => Effect.Effect<WorkspaceTraffic>
    /** Whole days (UTC), of the workspace or (`tent`) of one tent, which is then the only top tent. */
    readonly between: (
      workspace: WorkspaceId,
      query: { readonly tent: TentId | null; readonly from: DateTime.Utc | null; readonly to: DateTime.Utc | null },
    ) => Effect.Effect<WorkspaceTraffic, Invalid | NotFound>
  }
>()("tentpole/Traffic") {
  static readonly layer = Layer.effect(
    Traffic,
    Effect.gen(function* () {
      const tents = yield* TentStore
      const store = yield* TrafficStore

      const find = (workspace: WorkspaceId, text: string) =>
        Effect.flatMap(Effect.fromResult(readTentName("tentIdOrAlias", text, root)), (name) =>
          findNamed(tents, workspace, name),
        )

      return Traffic.of({
        ofTent: Effect.fn("Traffic.ofTent")(function* (workspace, name, days_back) {
          const { id } = yield* find(workspace, name)
          const days = daysUntil(yield* DateTime.now, days_back)
          return { ...toTrafficReport(days, yield* store.counts(workspace, id, days)), tentId: id }
        }),
        ofWorkspace: Effect.fn("Traffic.ofWorkspace")(function* (workspace, days_back) {
          const days = daysUntil(yield* DateTime.now, days_back)
          const report = toTrafficReport(days, yield* store.counts(workspace, null, days))
          return { ...report, topTents: yield* store.topTents(workspace, days) }
        }),
        between: Effect.fn("Traffic.between")(function* (workspace, { from, tent, to }) {
          const range = yield* Effect.fromResult(rangeOf({ from, to, interval: "day" }, yield* DateTime.now))
          const days = daysBetween(range)
          const shown = tent === null ? null : yield* tents.get(workspace, tent)
          const report = toTrafficReport(days, yield* store.counts(workspace, tent, days))
          if (shown === null) return { ...report, topTents: yield* store.topTents(workspace, days) }
          const { views, visits } = report
          const top = { tentId: shown.id, name: shown.name, views, visits }
          return { ...report, topTents: views === 0 ? [] : [top] }
        }),
      })
    }),
  )
}
