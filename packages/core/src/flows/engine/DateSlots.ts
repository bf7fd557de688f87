// Calculation of date trigger slots: when a trigger fires, and for which dates. A trigger time that a clock change skips moves
// to the next instant that exists. Of one that occurs twice the first counts.
import { DateTime, Option } from "effect"
import { day_ms } from "../../segments/TimeRange.ts"
import type { DateTrigger } from "../definition/Trigger.ts"

/** One firing of a trigger, for the contacts whose date falls on the slot's days in the trigger's zone. */
export interface DateSlot {
  readonly at: DateTime.Utc
  /** The day that the slot is for, `2026-05-01`. With the contact and the flow it is the key of what happens once. */
  readonly day: string
  /** The trigger's zone. A date that is a timestamp counts as its day in this zone. */
  readonly zone: string
  /** Null: only `day` itself. Else `MM-DD` of this and earlier years; 28 February includes 29 February in common years. */
  readonly monthDays: ReadonlyArray<string> | null
  /**
   * Prefixes for an index search: a contact's date (a day, or a UTC timestamp) begins with one of them if `isInSlot` accepts
   * it. The search also finds some timestamps of neighboring days, which `isInSlot` rejects.
   */
  readonly prefixes: { readonly days: ReadonlyArray<string> } | { readonly monthDays: ReadonlyArray<string> }
}

/** A slot that was missed for longer is skipped. */
export const catch_up_max_ms = day_ms

/** Upper bounds: of any zone's offset from UTC, and of a clock change (one day). */
const earliest_ms = 16 * 3_600_000
const latest_ms = earliest_ms + day_ms

/** The slots after one instant and up to another, at most one day back. Incomplete triggers have none. */
export const slotsBetween = (
  trigger: DateTrigger,
  after: DateTime.Utc,
  until: DateTime.Utc,
): ReadonlyArray<DateSlot> => {
  const zone = Option.getOrNull(DateTime.zoneMakeNamed(trigger.timezone))
  if (zone === null || trigger.mode === null || trigger.field === null) return []
  const until_ms = until.epochMilliseconds
  const after_ms = Math.max(after.epochMilliseconds, until_ms - catch_up_max_ms)
  const slots: Array<DateSlot> = []
  const first = Math.floor((after_ms - latest_ms) / day_ms)
  const last = Math.ceil((until_ms + earliest_ms) / day_ms)
  for (let day = first; day <= last; day++) {
    const wall_ms = day * day_ms + timeOf_ms(trigger.trigger_time)
    if (wall_ms + latest_ms < after_ms || wall_ms - earliest_ms > until_ms) continue
    const at_ms = firstInstantAt(zone, wall_ms)
    if (at_ms > after_ms && at_ms <= until_ms) slots.push(slotOn(trigger, day, at_ms))
  }
  return slots
}

const timeOf_ms = (time: string): number => Number(time.slice(0, 2)) * 3_600_000 + Number(time.slice(3)) * 60_000

/** The zone's offset from UTC at an instant. */
const offset_ms = (zone: DateTime.TimeZone, at_ms: number): number =>
  DateTime.zonedOffset(DateTime.setZone(DateTime.makeUnsafe(at_ms), zone))

/** The first instant at which the zone's local time is `wall_ms` or later. `wall_ms` is local time encoded as if it were UTC. */
const firstInstantAt = (zone: DateTime.TimeZone, wall_ms: number): number => {
  const offsets = [
    offset_ms(zone, wall_ms - 2 * day_ms),
    offset_ms(zone, wall_ms - day_ms),
    offset_ms(zone, wall_ms + day_ms),
  ]
  const read = offsets.map((offset) => wall_ms - offset).filter((at_ms) => at_ms + offset_ms(zone, at_ms) === wall_ms)
  if (read.length > 0) return Math.min(...read)
  // A clock change skips this local time. Binary search finds the instant of the change.
  let before_ms = wall_ms - Math.max(...offsets) - day_ms
  let from_ms = wall_ms - Math.min(...offsets) + day_ms
  while (from_ms - before_ms > 1) {
    const middle_ms = Math.floor((before_ms + from_ms) / 2)
    if (middle_ms + offset_ms(zone, middle_ms) >= wall_ms) from_ms = middle_ms
    else before_ms = middle_ms
  }
  return from_ms
}

const dayText = (day: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day * day_ms))

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The month and day whose anniversaries fall on this day. */
const monthDaysOf = (day: string): ReadonlyArray<string> => {
  const monthDay = day.slice(5)
  return monthDay === "02-28" && !isLeap(Number(day.slice(0, 4))) ? [monthDay, "02-29"] : [monthDay]
}

const slotOn = (trigger: DateTrigger, fired: number, at_ms: number): DateSlot => {
  const target =
    fired +
    (trigger.mode === "before_date" ? trigger.days_before : trigger.mode === "after_date" ? -trigger.days_after : 0)
  const day = dayText(target)
  const monthDays = trigger.include_anniversaries ? monthDaysOf(day) : null
  return {
    at: DateTime.makeUnsafe(at_ms),
    day,
    zone: trigger.timezone,
    monthDays,
    prefixes: monthDays === null ? { days: around(target) } : { monthDays: monthDaysAround(target, monthDays) },
  }
}

/** A zone's day overlaps the UTC days before and after it. */
const around = (day: number): ReadonlyArray<string> => [day - 1, day, day + 1].map(dayText)

/** In any year: the last day of February may be the 28th or the 29th. */
const monthDaysAround = (day: number, monthDays: ReadonlyArray<string>): ReadonlyArray<string> => {
  const near = [...around(day).map((each) => each.slice(5)), ...monthDays]
  const atLeapDay = near.includes("02-28") || near.includes("03-01") ? ["02-28", "02-29", "03-01"] : []
  return [...new Set([...near, ...atLeapDay])].toSorted()
}

/** Whether the slot is for a contact's date, which is a day or a UTC timestamp. */
export const isInSlot = ({ day, zone, monthDays }: DateSlot, date: string): boolean => {
  const localDate =
    date.length === day.length ? date : DateTime.formatIsoDate(DateTime.makeZonedUnsafe(date, { timeZone: zone }))
  if (monthDays === null) return localDate === day
  return localDate <= day && monthDays.includes(localDate.slice(5))
}
