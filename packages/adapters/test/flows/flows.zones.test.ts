// Date triggers use their own time zone, whatever zone the process has.
import { assert, it } from "@effect/vitest"
import { slotsBetween } from "@tentpole/core/flows/engine/DateSlots"
import type { DateTrigger } from "@tentpole/core/flows/definition/Trigger"
import { DateTime } from "effect"

const trigger = (timezone: string, triggerTime: string): DateTrigger => ({
  type: "date_based",
  field: "birthday",
  mode: "on_date",
  days_before: 0,
  days_after: 0,
  include_anniversaries: false,
  trigger_time: triggerTime,
  timezone,
})

const cases = [
  ["Europe/Berlin", "02:30", "2026-03-29T01:00:00.000Z"],
  ["Europe/Berlin", "02:30", "2026-10-25T00:30:00.000Z"],
  ["America/New_York", "00:00", "2026-03-08T05:00:00.000Z"],
  ["Pacific/Apia", "09:00", "2011-12-30T10:00:00.000Z"],
  ["UTC", "09:00", "2028-02-29T09:00:00.000Z"],
] as const

it("date triggers fire at the same instants in any time zone of the process", () => {
  const own = process.env["TZ"]
  try {
    for (const zone of ["UTC", "Pacific/Apia", "America/New_York", "Asia/Kolkata"]) {
      process.env["TZ"] = zone
      for (const [timezone, triggerTime, fires] of cases) {
        const until = DateTime.makeUnsafe(fires)
        const slots = slotsBetween(trigger(timezone, triggerTime), DateTime.subtract(until, { minutes: 30 }), until)
        assert.deepStrictEqual(
          slots.map(({ at }) => DateTime.formatIso(at)),
          [fires],
          `${timezone} in ${zone}`,
        )
      }
    }
  } finally {
    if (own === undefined) delete process.env["TZ"]
    else process.env["TZ"] = own
  }
})
