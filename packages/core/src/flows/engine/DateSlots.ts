// When date triggers fire, and for which dates: a clock on the wall of the trigger's zone, read every half hour. A time that a
// change of the clock leaves out moves to the next that there is; of one that comes twice the first counts.
import { DateTime, Option } from "effect"
import { day_ms } from "../../segments/TimeRange.ts"
import type { DateTrigger } from "../definition/Trigger.ts"

/** One firing of a trigger, and whom it means: those whose date, in the trigger's zone, is one of these days. */
export interface DateSlot {
  readonly at: DateTime.Utc
  /** The day that it is about, `2026-05-01`: with the contact and the flow the key of what happens once. */
  readonly day: string
  /** The trigger's own zone: a date that is a timestamp stands for the day that it is there. */
  readonly zone: string
  /** Null: that day of that year alone. Else days of earlier years too, as `05-01`: two where 29 February is kept on the 28th. */
  readonly monthDays: ReadonlyArray<string> | null
  /**
   * What a store may look for by an index: dates as contacts hold them (a day, or a UTC timestamp) begin with one of these. It
   * holds everybody whom `isMeant` says yes to, and some more whose timestamp is of another day in the zone.
   */
  readonly prefixes: { readonly days: ReadonlyArray<string> } | { readonly monthDays: ReadonlyArray<string> }
}

/** A slot that was missed for longer is lost. */
export const catch_up_max_ms = day_ms

/** No zone has ever been as far from UTC; and no change of a clock leaves out more than a day. */
const earliest_ms = 16 * 3_600_000
const latest_ms = earliest_ms + day_ms

/** The slots after one instant and up to another, at most a day back from there. Incomplete triggers have none. */
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
    const at_ms = instantOf(zone, wall_ms)
    if (at_ms > after_ms && at_ms <= until_ms) slots.push(slotOn(trigger, day, at_ms))
  }
  return slots
}

const timeOf_ms = (time: string): number => Number(time.slice(0, 2)) * 3_600_000 + Number(time.slice(3)) * 60_000

/** What the zone's clocks are ahead of UTC at an instant. */
const offset_ms = (zone: DateTime.TimeZone, at_ms: number): number =>
  DateTime.zonedOffset(DateTime.setZone(DateTime.makeUnsafe(at_ms), zone))

/** The first instant at which the zone's clocks read this or later; `wall_ms` is the reading as if it were UTC. */
const instantOf = (zone: DateTime.TimeZone, wall_ms: number): number => {
  const offsets = [
    offset_ms(zone, wall_ms - 2 * day_ms),
    offset_ms(zone, wall_ms - day_ms),
    offset_ms(zone, wall_ms + day_ms),
  ]
  const read = offsets.map((offset) => wall_ms - offset).filter((at_ms) => at_ms + offset_ms(zone, at_ms) === wall_ms)
  if (read.length > 0) return Math.min(...read)
  // No clock reads it: the change that left it out is the next time that there is.
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

/** The days of earlier years that are kept on this one. */
const keptOn = (day: string): ReadonlyArray<string> => {
  const monthDay = day.slice(5)
  return monthDay === "02-28" && !isLeap(Number(day.slice(0, 4))) ? [monthDay, "02-29"] : [monthDay]
}

const slotOn = (trigger: DateTrigger, fired: number, at_ms: number): DateSlot => {
  const about =
    fired +
    (trigger.mode === "before_date" ? trigger.days_before : trigger.mode === "after_date" ? -trigger.days_after : 0)
  const day = dayText(about)
  const monthDays = trigger.include_anniversaries ? keptOn(day) : null
  return {
    at: DateTime.makeUnsafe(at_ms),
    day,
    zone: trigger.timezone,
    monthDays,
    prefixes: monthDays === null ? { days: around(about) } : { monthDays: monthDaysAround(about, monthDays) },
  }
}

/** A zone's day reaches into the UTC days before and after it. */
const around = (day: number): ReadonlyArray<string> => [day - 1, day, day + 1].map(dayText)

/** In any year: the last of February may be the 28th or the 29th. */
const monthDaysAround = (day: number, monthDays: ReadonlyArray<string>): ReadonlyArray<string> => {
  const near = [...around(day).map((each) => each.slice(5)), ...monthDays]
  const atLeapDay = near.includes("02-28") || near.includes("03-01") ? ["02-28", "02-29", "03-01"] : []
  return [...new Set([...near, ...atLeapDay])].toSorted()
}

/** Whether a contact's date is one that the slot is about. The date is as contacts hold it: a day, or a UTC timestamp. */
export const isMeant = ({ day, zone, monthDays }: DateSlot, date: string): boolean => {
  const own = date.length === day.length ? date : localDay(zone, date)
  if (monthDays === null) return own === day
  return own <= day && monthDays.includes(own.slice(5))
}

const localDay = (zone: string, timestamp: string): string => {
  const at = DateTime.makeUnsafe(timestamp)
  return dayText(
    Math.floor((at.epochMilliseconds + offset_ms(DateTime.zoneMakeNamedUnsafe(zone), at.epochMilliseconds)) / day_ms),
  )
}
