// The use cases of analytics by day: contacts and credits of a workspace in a range of days.
import { Context, DateTime, Effect, Layer } from "effect"
import { type AnalyticsQuery, rangeOf } from "../blasts/figures/EmailAnalytics.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import { daysBetween } from "../traffic/Analytics.ts"
import {
  type ContactFigures,
  contactFigures,
  type CreditFigures,
  creditFigures,
  toContactFigures,
  toCreditFigures,
} from "./DayFigures.ts"
import { DayFigureStore } from "./DayFigureStore.ts"

type DaysQuery = Pick<AnalyticsQuery, "from" | "to">

const daysOf = Effect.fnUntraced(function* (query: DaysQuery) {
  const range = yield* Effect.fromResult(rangeOf({ ...query, interval: "day" }, yield* DateTime.now))
  const milliseconds = range.to.epochMilliseconds - range.from.epochMilliseconds
  const former = { from: DateTime.subtract(range.from, { milliseconds }), to: range.from }
  return { days: daysBetween(range), former: daysBetween(former) }
})

export class DayAnalytics extends Context.Service<
  DayAnalytics,
  {
    readonly contacts: (workspace: WorkspaceId, query: DaysQuery) => Effect.Effect<ContactFigures, Invalid>
    readonly credits: (workspace: WorkspaceId, query: DaysQuery) => Effect.Effect<CreditFigures, Invalid>
  }
>()("tentpole/DayAnalytics") {
  static readonly layer = Layer.effect(
    DayAnalytics,
    Effect.map(DayFigureStore, (store) =>
      DayAnalytics.of({
        contacts: Effect.fn("DayAnalytics.contacts")(function* (workspace, query) {
          const range = yield* daysOf(query)
          return toContactFigures(range, yield* store.from(workspace, range.former.first, contactFigures))
        }),
        credits: Effect.fn("DayAnalytics.credits")(function* (workspace, query) {
          const { days } = yield* daysOf(query)
          return toCreditFigures(days, yield* store.from(workspace, days.first, creditFigures))
        }),
      }),
    ),
  )
}
