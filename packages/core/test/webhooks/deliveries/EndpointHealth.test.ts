import {
  afterAttempt,
  isFailing,
  newHealth,
  nextProbeAt,
  openMax,
} from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import type { AttemptOutcome } from "@tentpole/core/webhooks/deliveries/Attempt"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const at = (hours: number) => DateTime.makeUnsafe(hours * 3_600_000)
const success: AttemptOutcome = { statusCode: 200, error: null, retryAfter_s: null }
const failure = (statusCode: number | null): AttemptOutcome => ({
  statusCode,
  error: statusCode === null ? "timeout" : "http_status",
  retryAfter_s: null,
})
const fail = (statusCode: number | null, times: number, now: DateTime.Utc, health = newHealth(at(0), 20)) =>
  Array.from({ length: times }).reduce<typeof health>(
    (after) => afterAttempt(after, failure(statusCode), { now, setting_max: 20 }),
    health,
  )

const Outcome = Schema.NullOr(Schema.Literals([200, 429, 500, 502, 504]))

describe("EndpointHealth", () => {
  it("halves the open requests of an overloaded receiver down to one, and adds one for each success", () => {
    const sizes = [1, 2, 3, 4, 5, 9].map((times) => fail(429, times, at(0)).inFlight_max)
    assert.deepStrictEqual(sizes, [10, 5, 2, 1, 1, 1])
    assert.deepStrictEqual([fail(500, 9, at(0)).inFlight_max, fail(null, 9, at(0)).inFlight_max], [20, 20])
    const recovered = afterAttempt(fail(504, 2, at(0)), success, { now: at(1), setting_max: 20 })
    assert.deepStrictEqual(recovered, { failuresInRow: 0, healthyAt: at(1), failedAt: at(0), inFlight_max: 6 })
  })

  it("is probed from the fifth failure in a row on, until a success", () => {
    assert.deepStrictEqual(
      [openMax(fail(500, 4, at(0)), "parallel"), openMax(fail(500, 5, at(0)), "parallel")],
      [20, 1],
    )
    const recovered = afterAttempt(fail(500, 50, at(0)), success, { now: at(1), setting_max: 20 })
    assert.strictEqual(openMax(recovered, "parallel"), 20)
    assert.strictEqual(openMax(newHealth(at(0), 20), "ordered"), 1)
  })

  it("waits between probes: a second after the fifth failure, twice as long after each more, a minute at most", () => {
    const pause_s = (times: number) => {
      const probe = nextProbeAt(fail(500, times, at(1)))
      return probe === null ? null : (probe.epochMilliseconds - at(1).epochMilliseconds) / 1000
    }
    assert.deepStrictEqual([4, 5, 6, 10, 11, 500].map(pause_s), [null, 1, 2, 32, 60, 60])
  })

  it("fails after 72 hours and 20 failures without a success, and not before", () => {
    assert.isTrue(isFailing(fail(500, 20, at(1)), at(72)))
    assert.isFalse(isFailing(fail(500, 19, at(1)), at(500)))
    assert.isFalse(isFailing(fail(500, 20, at(1)), at(71.9)))
    assert.isFalse(isFailing(afterAttempt(fail(500, 50, at(1)), success, { now: at(2), setting_max: 20 }), at(500)))
    const later = fail(500, 20, at(80), afterAttempt(fail(500, 50, at(1)), success, { now: at(10), setting_max: 20 }))
    assert.deepStrictEqual([isFailing(later, at(81)), isFailing(later, at(82))], [false, true])
  })

  it.prop(
    "always allows from one request to what the settings allow",
    { outcomes: Schema.Array(Outcome), setting_max: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })) },
    ({ outcomes, setting_max }) => {
      let health = newHealth(at(0), setting_max)
      for (const status of outcomes) {
        health = afterAttempt(health, status === 200 ? success : failure(status), { now: at(0), setting_max })
        for (const mode of ["parallel", "ordered"] as const) {
          assert.isAtLeast(openMax(health, mode), 1)
          assert.isAtMost(openMax(health, mode), setting_max)
        }
      }
    },
  )
})
