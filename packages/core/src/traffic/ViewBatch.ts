// The sums of a batch of page views: counts, visitors, and of single views no more than a report shows.
import { type DateTime, Struct } from "effect"
import type { TentId } from "../kernel/Ids.ts"
import type { DescribedAgent } from "./Agents.ts"
import { type Day, type Dimension, dimensions, recent_max, type RecentView } from "./Analytics.ts"

/** A view with its visitor's hash of the day, in hex. */
export interface SeenView extends DescribedAgent {
  readonly tentId: TentId
  readonly at: DateTime.Utc
  /** The day of `at`. */
  readonly day: Day
  readonly visitor: string
}

/** The part of a view that is shown, without its visitor. */
export interface SingleView extends RecentView {
  readonly tentId: TentId
}

export interface ViewSums {
  readonly sums: ReadonlyArray<DaySum>
  /** Each once for a tent and day. */
  readonly visitors: ReadonlyArray<DayVisitor>
  /** The newest 50 of each tent and day, the newest last. Of two at the same instant, the later in the input is newer. */
  readonly newest: ReadonlyArray<SingleView>
}

/** The number of views of a tent on a day: of `all`, with an empty value, or of one value of a dimension. */
export interface DaySum {
  readonly tentId: TentId
  readonly day: Day
  readonly dimension: "all" | Dimension
  readonly value: string
  readonly views: number
}

export interface DayVisitor {
  readonly tentId: TentId
  readonly day: Day
  readonly visitor: string
}

/** Sums are additive: the sums of parts add up to the sums of the whole. */
export const sumViews = (views: ReadonlyArray<SeenView>): ViewSums => {
  const groups = byTentAndDay(views)
  return {
    sums: groups.flatMap(sumsOf),
    visitors: groups.flatMap(({ tentId, day, its }) =>
      Array.from(new Set(its.map(({ visitor }) => visitor)), (visitor) => ({ tentId, day, visitor })),
    ),
    newest: groups.flatMap(({ its }) => its.sort(byTime).slice(-recent_max).map(toSingle)),
  }
}

interface Group {
  readonly tentId: TentId
  readonly day: Day
  readonly its: Array<SeenView>
}

const byTentAndDay = (views: ReadonlyArray<SeenView>): ReadonlyArray<Group> =>
  Array.from(Map.groupBy(views, ({ tentId }) => tentId)).flatMap(([tentId, ofTent]) =>
    Array.from(
      Map.groupBy(ofTent, ({ day }) => day),
      ([day, its]) => ({ tentId, day, its }),
    ),
  )

const sumsOf = ({ tentId, day, its }: Group): ReadonlyArray<DaySum> => [
  { tentId, day, dimension: "all", value: "", views: its.length },
  ...dimensions.flatMap((dimension) =>
    Array.from(
      Map.groupBy(its, (view) => view[dimension]),
      ([value, { length: views }]) => ({ tentId, day, dimension, value, views }),
    ),
  ),
]

const byTime = (left: SeenView, right: SeenView): number => left.at.epochMilliseconds - right.at.epochMilliseconds

const toSingle = (view: SeenView): SingleView => Struct.omit(view, ["day", "visitor"])
