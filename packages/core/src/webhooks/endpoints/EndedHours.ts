// The series of an endpoint's last 24 hours. Pure.
import { DateTime } from "effect"

const hours_shown = 24

/** The deliveries that ended in an hour. */
export interface EndedHour {
  /** When the hour begins. */
  readonly at: DateTime.Utc
  readonly delivered_count: number
  readonly failed_count: number
}

/** When the first hour of the series begins. The last one is the present hour. */
export const firstHour = (now: DateTime.Utc): DateTime.Utc =>
  DateTime.subtract(DateTime.startOf(now, "hour"), { hours: hours_shown - 1 })

/** Each hour of the series, the oldest first. `ended` leaves out hours without deliveries. */
export const everyHour = (ended: ReadonlyArray<EndedHour>, now: DateTime.Utc): ReadonlyArray<EndedHour> => {
  const byTime = new Map(ended.map((hour) => [hour.at.epochMilliseconds, hour]))
  const first = firstHour(now)
  return Array.from({ length: hours_shown }, (_, index) => {
    const at = DateTime.add(first, { hours: index })
    return byTime.get(at.epochMilliseconds) ?? { at, delivered_count: 0, failed_count: 0 }
  })
}
