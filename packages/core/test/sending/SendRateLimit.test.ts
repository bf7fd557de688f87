// Property tests of the permits of a send rate limit: in any time range at most the rate and one full bucket are sent, and
// a worker that looks often enough gets every permit.
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Rate = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
/** A request for permits after some time, with the number of waiting messages. */
const Look = Schema.Struct({ after_ms: between(0, 5000), wanted: between(0, 20_000) })

describe("Rate bucket", () => {
  it.prop(
    "gives at most its rate and one full bucket in any time range",
    { rate: Rate, looks: Schema.Array(Look).check(Schema.isMaxLength(40)) },
    ({ looks, rate }) => {
      let now_ms = 0
      let bucket = Pace.newBucket(now_ms)
      const taken: Array<{ readonly at_ms: number; readonly count: number }> = []
      for (const { after_ms, wanted } of looks) {
        now_ms += after_ms
        const count = Math.min(wanted, Pace.availablePermits(bucket, rate, now_ms))
        bucket = Pace.takePermits(bucket, rate, now_ms, count)
        taken.push({ at_ms: now_ms, count })
      }
      const full = Pace.bucketSize(rate, true)
      for (const [first, from] of taken.entries()) {
        let sum = 0
        for (const { at_ms, count } of taken.slice(first)) {
          sum += count
          assert.isAtMost(sum, (rate * (at_ms - from.at_ms)) / 1000 + full + 0.01)
        }
      }
    },
  )

  it.prop(
    "gives all that its rate allows to workers that look once a second",
    { rate: Rate, looks: Schema.Array(between(1, 1000)).check(Schema.isMinLength(1), Schema.isMaxLength(60)) },
    ({ looks, rate }) => {
      let now_ms = 0
      let bucket = Pace.takePermits(Pace.newBucket(now_ms), rate, now_ms, 1)
      let sum = 1
      for (const after_ms of looks) {
        now_ms += after_ms
        const count = Pace.availablePermits(bucket, rate, now_ms)
        if (count > 0) bucket = Pace.takePermits(bucket, rate, now_ms, count)
        sum += count
      }
      assert.isAtLeast(sum, Math.floor((rate * now_ms) / 1000 - 0.01))
    },
  )

  it("loses no permits at the slowest rate when a look is late", () => {
    const first = Pace.takePermits(Pace.newBucket(0), 1, 0, 1)
    assert.strictEqual(Pace.availablePermits(first, 1, 582), 0)
    const second = Pace.takePermits(first, 1, 1580, Pace.availablePermits(first, 1, 1580))
    assert.closeTo(second.permits, 0.58, 1e-9)
  })

  it.prop("has a permit exactly when it said", { rate: Rate, at_ms: between(0, 1e12) }, ({ at_ms, rate }) => {
    const bucket = Pace.takePermits(Pace.newBucket(at_ms), rate, at_ms, 1)
    const ready_ms = Pace.nextPermit_ms(bucket, rate)
    assert.strictEqual(Pace.availablePermits(bucket, rate, ready_ms + 0.01), 1)
    assert.strictEqual(Pace.availablePermits(bucket, rate, at_ms + (ready_ms - at_ms) * 0.9), 0)
  })

  it("gives fewer permits at once after an idle time than after a time with waiting messages", () => {
    const idle = Pace.takePermits(Pace.newBucket(0), 100, 10_000, 0)
    assert.strictEqual(Pace.availablePermits(idle, 100, 3_600_000), 25)
    const waited = Pace.takePermits(Pace.newBucket(0), 100, 10_000, 1)
    assert.strictEqual(Pace.availablePermits(waited, 100, 3_600_000), 101)
  })

  it("uses the current limit, and gains nothing when the clock is set back", () => {
    const bucket = Pace.takePermits(Pace.newBucket(0), 100, 1000, 1)
    assert.strictEqual(Pace.availablePermits(bucket, 10, 3000), 11)
    assert.strictEqual(Pace.availablePermits(bucket, 1000, 2000), 1001)
    const set_back = Pace.takePermits(bucket, 100, -3_600_000, Pace.availablePermits(bucket, 100, -3_600_000))
    assert.isBelow(Pace.availablePermits(set_back, 100, -3_600_000), 1)
    assert.strictEqual(Pace.availablePermits(set_back, 100, -3_599_000), 100)
  })
})
