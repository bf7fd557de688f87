// The traffic report: days without a view count zero, values are ordered by their views.
import { DateTime } from "effect"
import type { TentId } from "../kernel/Ids.ts"
import type { DescribedAgent } from "./Agents.ts"

export const days_back_default = 7

/** Days from 1 to 7. Any other text is 7. */
export const readDaysBack = (text: string | undefined): number =>
  text !== undefined && /^[1-7]$/.test(text) ? Number(text) : days_back_default

/** `YYYY-MM-DD`, UTC. */
export type Day = string

export const dayOf = (at: DateTime.Utc): Day => DateTime.formatIso(at).slice(0, 10)

const day_ms = 86_400_000

/** Days since 1970, UTC. */
export const dayNumberOf = (at: DateTime.Utc): number => Math.floor(at.epochMilliseconds / day_ms)

/** A range of days, including the first and the last. */
export interface Days {
  readonly first: Day
  readonly last: Day
  readonly all: ReadonlyArray<Day>
}

/** The last `count` days, including today. */
export const daysUntil = (now: DateTime.Utc, count: number): Days => {
  const all = Array.from({ length: count }, (_, index) => dayOf(DateTime.subtract(now, { days: count - 1 - index })))
  return { first: all[0] ?? dayOf(now), last: dayOf(now), all }
}

/** The days of a range whose end is exclusive. */
export const daysBetween = ({ from, to }: { readonly from: DateTime.Utc; readonly to: DateTime.Utc }): Days => {
  const last = DateTime.subtract(to, { milliseconds: 1 })
  return daysUntil(last, dayNumberOf(last) - dayNumberOf(from) + 1)
}

export const dimensions = ["country", "device", "browser", "os", "referrer"] as const
export type Dimension = (typeof dimensions)[number]

export const groups_max = 50
export const recent_max = 50

/** Values of a dimension stored for a tent and day, and for the workspace and day. Further values count as `other`. */
export const values_max = 1_000
export const other = "other"

export interface Counted {
  readonly value: string
  readonly views: number
}

export interface RecentView extends DescribedAgent {
  readonly at: DateTime.Utc
}

/** What a store counts in a range of days. */
export interface Counts {
  /** Distinct visitors a day, added up. */
  readonly visits: number
  /** Days without a view or submission may be missing. */
  readonly days: ReadonlyArray<{ readonly day: Day; readonly views: number; readonly submissions: number }>
  /** By views descending, then by value in code point order; the first 50. */
  readonly groups: Readonly<Record<Dimension, ReadonlyArray<Counted>>>
  /** The newest 50, newest first. */
  readonly recent: ReadonlyArray<RecentView>
}

export interface TopTent {
  readonly tentId: TentId
  readonly name: string
  readonly views: number
  readonly visits: number
}

export interface TrafficReport extends Counts {
  readonly range: Days
  readonly views: number
  /** Of forms. */
  readonly submissions: number
}

/** Submissions for each view; null without views. */
export const conversionRate = ({ submissions, views }: Pick<TrafficReport, "submissions" | "views">): number | null =>
  views === 0 ? null : Math.round((submissions / views) * 10_000) / 10_000

export const toTrafficReport = (range: Days, counts: Counts): TrafficReport => {
  const countsOf = new Map(counts.days.map((each) => [each.day, each]))
  const days = range.all.map((day) => countsOf.get(day) ?? { day, views: 0, submissions: 0 })
  return {
    ...counts,
    range,
    days,
    views: days.reduce((sum, { views }) => sum + views, 0),
    submissions: days.reduce((sum, { submissions }) => sum + submissions, 0),
  }
}
