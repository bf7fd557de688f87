// The series of an endpoint's last 24 hours.
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { everyHour, firstHour } from "../../../src/webhooks/endpoints/EndedHours.ts"

const at = (text: string) => DateTime.makeUnsafe(text)

describe("the last 24 hours", () => {
  it("begin 23 hours before the present one", () => {
    assert.deepStrictEqual(firstHour(at("2026-05-01T09:30:00.000Z")), at("2026-04-30T10:00:00.000Z"))
    assert.deepStrictEqual(firstHour(at("2026-05-01T09:00:00.000Z")), at("2026-04-30T10:00:00.000Z"))
  })

  it("have each hour once, the oldest first, without deliveries as zeros", () => {
    const ended = [
      { at: at("2026-04-30T10:00:00.000Z"), delivered_count: 1, failed_count: 0 },
      { at: at("2026-05-01T09:00:00.000Z"), delivered_count: 2, failed_count: 3 },
    ]
    const hours = everyHour(ended, at("2026-05-01T09:59:59.999Z"))
    assert.strictEqual(hours.length, 24)
    assert.deepStrictEqual([hours[0], hours[23]], ended)
    assert.deepStrictEqual(hours[1], { at: at("2026-04-30T11:00:00.000Z"), delivered_count: 0, failed_count: 0 })
    assert.isTrue(hours.slice(1, 23).every(({ delivered_count, failed_count }) => delivered_count + failed_count === 0))
  })
})
