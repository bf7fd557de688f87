// The use case of email analytics: the figures of all messages of a workspace in a range of time.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { Invalid } from "../../kernel/Refusal.ts"
import {
  type FigurePoint,
  type Figures,
  gapless,
  type Interval,
  interval_ms,
  startOf,
  startsOf,
  sumOf,
} from "../../sending/Figures.ts"
import { type FigureGroup, FigureStore, type Grouping, type TimeRange } from "./FigureStore.ts"

/** The longest range, in days. */
export const range_days_max: { readonly [Each in Interval]: number } = { hour: 31, day: 400 }
/** The range without `from`, in hours or days. */
const range_default: { readonly [Each in Interval]: number } = { hour: 24, day: 30 }

export interface AnalyticsQuery {
  readonly from: DateTime.Utc | null
  readonly to: DateTime.Utc | null
  readonly interval: Interval
  readonly by: Grouping
}

export interface EmailFigures {
  readonly points: ReadonlyArray<FigurePoint>
  readonly totals: Figures
  /** Of as long a time before. */
  readonly before: Figures
  readonly groups: ReadonlyArray<FigureGroup>
}

const ceilOf = (interval: Interval, at: DateTime.Utc): DateTime.Utc =>
  startOf(interval, DateTime.add(at, { milliseconds: interval_ms[interval] - 1 }))

/** Whole hours or days: `from` is moved back to the beginning of its own, `to` forward to the end of its own. */
export const rangeOf = (
  { from, interval, to }: Omit<AnalyticsQuery, "by">,
  now: DateTime.Utc,
): Result.Result<TimeRange, Invalid> => {
  const refuse = (path: string, message: string) => Result.fail(new Invalid({ issues: [{ path, message }] }))
  const end = ceilOf(interval, to ?? DateTime.add(now, { milliseconds: 1 }))
  const begin =
    from === null
      ? DateTime.subtract(end, { milliseconds: range_default[interval] * interval_ms[interval] })
      : startOf(interval, from)
  const length_ms = end.epochMilliseconds - begin.epochMilliseconds
  if (from !== null && from.epochMilliseconds >= (to ?? end).epochMilliseconds) {
    return refuse(to === null ? "from" : "to", to === null ? "must not be in the future" : "must be later than from")
  }
  const days_max = range_days_max[interval]
  return length_ms > days_max * interval_ms.day
    ? refuse("from", `must be at most ${days_max} days before to, with interval ${interval}`)
    : Result.succeed({ from: begin, to: end })
}

export class EmailAnalytics extends Context.Service<
  EmailAnalytics,
  {
    readonly figures: (workspace: WorkspaceId, query: AnalyticsQuery) => Effect.Effect<EmailFigures, Invalid>
  }
>()("tentpole/EmailAnalytics") {
  static readonly layer = Layer.effect(
    EmailAnalytics,
    Effect.map(FigureStore, (store) =>
      EmailAnalytics.of({
        figures: Effect.fn("EmailAnalytics.figures")(function* (workspace, query) {
          const { by, interval } = query
          const range = yield* Effect.fromResult(rangeOf(query, yield* DateTime.now))
          const length_ms = range.to.epochMilliseconds - range.from.epochMilliseconds
          const points = yield* store.ofTime(workspace, range, interval)
          const former = { from: DateTime.subtract(range.from, { milliseconds: length_ms }), to: range.from }
          const days = { from: startOf("day", range.from), to: ceilOf("day", range.to) }
          return {
            points: gapless(startsOf(interval, range.from, range.to), points),
            totals: sumOf(points),
            before: sumOf(yield* store.ofTime(workspace, former, interval)),
            groups: by === "none" ? [] : yield* store.groups(workspace, by === "domain" ? days : range, by),
          }
        }),
      }),
    ),
  )
}
