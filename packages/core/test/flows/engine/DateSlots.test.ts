import { assert, describe, it } from "@effect/vitest"
import { catch_up_max_ms, type DateSlot, isInSlot, slotsBetween } from "@tentpole/core/flows/engine/DateSlots"
import type { DateTrigger } from "@tentpole/core/flows/definition/Trigger"
import { DateTime } from "effect"
import { isInTurn } from "../../../contract/kernel/draws.ts"
import { at } from "../FlowFixture.ts"
import { slotCases } from "../SlotCases.ts"

const trigger = (over: Partial<DateTrigger> = {}): DateTrigger => ({
  type: "date_based",
  field: "birthday",
  mode: "on_date",
  days_before: 0,
  days_after: 0,
  include_anniversaries: false,
  trigger_time: "09:00",
  timezone: "UTC",
  ...over,
})

const shown = ({ day, at: fired }: DateSlot) => `${day} ${DateTime.formatIso(fired).slice(0, 16)}`

/** Properties are tried in a third of them each day by `npm test`, and in all by other runs. */
const zones = [...new Set(slotCases.map(([zone = ""]) => zone))]

describe("slotsBetween", () => {
  it("returns the instants of the reference implementation for 200 cases in a dozen zones", () => {
    assert.isAtLeast(slotCases.length, 200)
    assert.isAtLeast(zones.length, 12)
    for (const [timezone = "", triggerTime = "", day = "", fires = ""] of slotCases) {
      // The interval of the half hour in which it fires, as the engine uses it.
      const until = at(`${fires}:00.000Z`)
      const slots = slotsBetween(
        trigger({ timezone, trigger_time: triggerTime }),
        DateTime.subtract(until, { minutes: 30 }),
        until,
      )
      assert.include(slots.map(shown), `${day} ${fires}`, `${timezone} ${triggerTime}`)
      const before = slotsBetween(
        trigger({ timezone, trigger_time: triggerTime }),
        DateTime.subtract(until, { hours: 24 }),
        DateTime.subtract(until, { minutes: 1 }),
      )
      assert.notInclude(
        before.map((slot) => slot.day),
        day,
        `${timezone} ${triggerTime}: not sooner`,
      )
    }
  })

  it("returns each day of a year once, for every zone and half hour, in intervals of any length", () => {
    for (const [index, timezone] of zones.entries()) {
      if (!isInTurn(index)) continue
      const triggerTime = `${String((index * 5) % 24).padStart(2, "0")}:${index % 2 === 0 ? "00" : "30"}`
      const asked = trigger({ timezone, trigger_time: triggerTime })
      const from = at("2027-12-31T00:00:00.000Z")
      const seen: Array<string> = []
      // Uneven intervals of up to a day, as after a worker was down.
      for (let hours = 0; hours < 368 * 24;) {
        const next = hours + 1 + ((hours * 7) % 24)
        seen.push(
          ...slotsBetween(asked, DateTime.add(from, { hours }), DateTime.add(from, { hours: next })).map(
            ({ day }) => day,
          ),
        )
        hours = next
      }
      const inYear = seen.filter((day) => day.startsWith("2028"))
      assert.strictEqual(inYear.length, 366, timezone)
      assert.strictEqual(new Set(inYear).size, 366, timezone)
    }
  })

  it("catches up for one day only", () => {
    const asked = trigger()
    const slots = (after: string, until: string) => slotsBetween(asked, at(after), at(until)).map(shown)
    assert.deepStrictEqual(slots("2026-05-01T08:00:00.000Z", "2026-05-02T08:59:59.999Z"), [
      "2026-05-01 2026-05-01T09:00",
    ])
    assert.deepStrictEqual(slots("2026-04-01T08:00:00.000Z", "2026-05-02T08:59:59.999Z"), [
      "2026-05-01 2026-05-01T09:00",
    ])
    assert.deepStrictEqual(slots("2026-05-01T09:00:00.000Z", "2026-05-02T08:59:59.999Z"), [])
    assert.strictEqual(catch_up_max_ms, 24 * 3_600_000)
  })

  it("returns no slots for incomplete triggers", () => {
    const slots = (over: Partial<DateTrigger>) =>
      slotsBetween(trigger(over), at("2026-05-01T00:00:00.000Z"), at("2026-05-02T00:00:00.000Z")).length
    assert.deepStrictEqual(
      [slots({}), slots({ field: null }), slots({ mode: null }), slots({ timezone: "Nowhere/At_All" })],
      [1, 0, 0, 0],
    )
  })
})

describe("isInSlot", () => {
  const slotOn = (day: string, over: Partial<DateTrigger> = {}): DateSlot => {
    const [slot] = slotsBetween(
      trigger(over),
      at(`${day}T00:00:00.000Z`),
      DateTime.add(at(`${day}T00:00:00.000Z`), { days: 1 }),
    )
    assert.isDefined(slot)
    return slot ?? assert.fail()
  }

  it("accepts the day itself, or the day with the offset of days_before or days_after", () => {
    assert.strictEqual(slotOn("2026-05-01").day, "2026-05-01")
    assert.strictEqual(slotOn("2026-02-26", { mode: "before_date", days_before: 3 }).day, "2026-03-01")
    assert.strictEqual(slotOn("2028-02-26", { mode: "before_date", days_before: 3 }).day, "2028-02-29")
    assert.strictEqual(slotOn("2026-01-05", { mode: "after_date", days_after: 10 }).day, "2025-12-26")
    assert.strictEqual(slotOn("2026-01-05", { mode: "on_date", days_before: 3, days_after: 3 }).day, "2026-01-05")
  })

  it("accepts later years only with anniversaries", () => {
    const once = slotOn("2026-05-01")
    assert.isTrue(isInSlot(once, "2026-05-01"))
    assert.isFalse(isInSlot(once, "2025-05-01"))
    const yearly = slotOn("2026-05-01", { include_anniversaries: true })
    for (const year of ["1926", "2025", "2026"]) assert.isTrue(isInSlot(yearly, `${year}-05-01`))
    assert.isFalse(isInSlot(yearly, "2027-05-01"))
    assert.isFalse(isInSlot(yearly, "2025-05-02"))
  })

  it("counts 29 February as the 28th in common years, with offsets too", () => {
    const yearly = { include_anniversaries: true }
    assert.isTrue(isInSlot(slotOn("2027-02-28", yearly), "2024-02-29"))
    assert.isTrue(isInSlot(slotOn("2027-02-28", yearly), "2024-02-28"))
    assert.isFalse(isInSlot(slotOn("2028-02-28", yearly), "2024-02-29"))
    assert.isTrue(isInSlot(slotOn("2028-02-29", yearly), "2024-02-29"))
    assert.isFalse(isInSlot(slotOn("2027-03-01", yearly), "2024-02-29"))
    assert.isTrue(isInSlot(slotOn("2100-02-28", yearly), "2024-02-29"), "2100 is no leap year")
    assert.isTrue(isInSlot(slotOn("2027-02-21", { ...yearly, mode: "before_date", days_before: 7 }), "2024-02-29"))
    assert.isTrue(isInSlot(slotOn("2027-03-02", { ...yearly, mode: "after_date", days_after: 2 }), "2024-02-29"))
  })

  it("counts a timestamp as its day in the trigger's zone", () => {
    const berlin = slotOn("2026-05-02", { timezone: "Europe/Berlin" })
    assert.isTrue(isInSlot(berlin, "2026-05-01T22:00:00.000Z"))
    assert.isFalse(isInSlot(berlin, "2026-05-01T21:59:59.999Z"))
    assert.isFalse(isInSlot(berlin, "2026-05-02T22:00:00.000Z"))
    assert.isTrue(isInSlot(berlin, "2026-05-02"), "a day is that day everywhere")
  })

  it("accepts only dates that begin with one of the prefixes", () => {
    let meant = 0
    for (const timezone of zones.filter((_, index) => isInTurn(index))) {
      for (const day of [
        "2027-02-27",
        "2027-02-28",
        "2027-03-01",
        "2028-02-28",
        "2028-02-29",
        "2026-12-31",
        "2027-01-01",
      ]) {
        for (const includeAnniversaries of [true, false]) {
          const [slot] = slotsBetween(
            trigger({ timezone, include_anniversaries: includeAnniversaries, trigger_time: "12:00" }),
            at(`${day}T00:00:00.000Z`),
            DateTime.add(at(`${day}T00:00:00.000Z`), { days: 1 }),
          )
          if (slot === undefined) continue
          for (const year of [2024, 2025, 2026, 2027, 2028]) {
            for (let hours = -60; hours < 60; hours += 3) {
              const moment = DateTime.formatIso(
                DateTime.add(at(`${year}-02-28T00:00:00.000Z`), {
                  hours: hours + (day.includes("-12-") || day.includes("-01-") ? -59 * 24 : 0),
                }),
              )
              for (const date of [moment, moment.slice(0, 10)]) {
                if (!isInSlot(slot, date)) continue
                meant++
                const { prefixes } = slot
                assert.isTrue(
                  "days" in prefixes
                    ? prefixes.days.includes(date.slice(0, 10))
                    : prefixes.monthDays.includes(date.slice(5, 10)),
                  `${timezone} ${day} ${date}`,
                )
              }
            }
          }
        }
      }
    }
    assert.isAtLeast(meant, 500)
  })
})
