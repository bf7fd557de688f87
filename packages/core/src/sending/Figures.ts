// Figures: how many recipients had each first event in an hour or day (UTC).
import { DateTime, Struct } from "effect"

export const emptyFigures = {
  sent: 0,
  /** Failed now, at the time of the failure. A retry takes it back. */
  failed: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
}

export type Figures = Readonly<typeof emptyFigures>

export const figureNames = Struct.keys(emptyFigures)

/** `at`: the beginning of the hour or day. */
export interface FigurePoint extends Figures {
  readonly at: DateTime.Utc
}

export const intervals = ["hour", "day"] as const
export type Interval = (typeof intervals)[number]

export const interval_ms: { readonly [Each in Interval]: number } = { hour: 3_600_000, day: 86_400_000 }

/** The beginning of the hour or day. */
export const startOf = (interval: Interval, at: DateTime.Utc): DateTime.Utc =>
  DateTime.makeUnsafe(Math.floor(at.epochMilliseconds / interval_ms[interval]) * interval_ms[interval])

/** The beginnings of all hours or days from one on, before `to`. */
export const startsOf = (interval: Interval, from: DateTime.Utc, to: DateTime.Utc): ReadonlyArray<DateTime.Utc> =>
  Array.from(
    { length: Math.max(0, Math.ceil((to.epochMilliseconds - from.epochMilliseconds) / interval_ms[interval])) },
    (_, index) => DateTime.makeUnsafe(from.epochMilliseconds + index * interval_ms[interval]),
  )

/** A point for each beginning, zeros where none is known. */
export const gapless = (
  starts: ReadonlyArray<DateTime.Utc>,
  points: ReadonlyArray<FigurePoint>,
): ReadonlyArray<FigurePoint> => {
  const known = new Map(points.map((point) => [point.at.epochMilliseconds, point]))
  return starts.map((at) => known.get(at.epochMilliseconds) ?? { at, ...emptyFigures })
}

export const sumOf = (points: ReadonlyArray<Figures>): Figures => {
  const sum = { ...emptyFigures }
  for (const point of points) for (const name of figureNames) sum[name] += point[name]
  return sum
}
