// The use cases of analytics by day: contacts, a topic and credits of a workspace in a range of days.
import { Context, DateTime, Effect, Layer } from "effect"
import { type AnalyticsQuery, rangeOf } from "../blasts/figures/EmailAnalytics.ts"
import type { TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { topicNotFound } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { daysBetween } from "../traffic/Analytics.ts"
import {
  type ContactFigures,
  contactFigures,
  type CreditFigures,
  creditFigures,
  toContactFigures,
  toCreditFigures,
  type TopicFigures,
  topicFigures,
  toTopicFigures,
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
    readonly topic: (
      workspace: WorkspaceId,
      topic: TopicId,
      query: DaysQuery,
    ) => Effect.Effect<TopicFigures, Invalid | NotFound>
  }
>()("tentpole/DayAnalytics") {
  static readonly layer = Layer.effect(
    DayAnalytics,
    Effect.gen(function* () {
      const store = yield* DayFigureStore
      const topics = yield* TopicStore
      return DayAnalytics.of({
        contacts: Effect.fn("DayAnalytics.contacts")(function* (workspace, query) {
          const range = yield* daysOf(query)
          return toContactFigures(range, yield* store.from(workspace, range.former.first, contactFigures))
        }),
        credits: Effect.fn("DayAnalytics.credits")(function* (workspace, query) {
          const { days } = yield* daysOf(query)
          return toCreditFigures(days, yield* store.from(workspace, days.first, creditFigures))
        }),
        topic: Effect.fn("DayAnalytics.topic")(function* (workspace, topic, query) {
          const range = yield* daysOf(query)
          const [found] = yield* topics.many(workspace, [topic])
          if (found === undefined) return yield* topicNotFound()
          return toTopicFigures(topic, range, yield* store.from(workspace, range.former.first, topicFigures, topic))
        }),
      })
    }),
  )
}
