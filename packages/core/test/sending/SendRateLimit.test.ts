// The bucket of permits, by its properties: over no stretch of time does more go out than its rate and one full bucket, and
// who looks often enough gets all that was allowed.
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Rate = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
/** A look at the bucket after some time, by one who has so many to send. */
const Look = Schema.Struct({ after_ms: between(0, 5000), wanted: between(0, 20_000) })

describe("a bucket of permits", () => {
  it.prop(
    "gives no more over any stretch than its rate, and what it holds when it is full",
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
    "gives all that its rate allows to those who wait, if they look once a second",
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

  it("loses nothing at the slowest rate either, where a look comes late and the next one later", () => {
    const first = Pace.takePermits(Pace.newBucket(0), 1, 0, 1)
    assert.strictEqual(Pace.availablePermits(first, 1, 582), 0)
    const second = Pace.takePermits(first, 1, 1580, Pace.availablePermits(first, 1, 1580))
    assert.closeTo(second.permits, 0.58, 1e-9)
  })

  it.prop(
    "has a permit when it said that it would, and not a moment before",
    { rate: Rate, at_ms: between(0, 1e12) },
    ({ at_ms, rate }) => {
      const bucket = Pace.takePermits(Pace.newBucket(at_ms), rate, at_ms, 1)
      const ready_ms = Pace.nextPermit_ms(bucket, rate)
      assert.strictEqual(Pace.availablePermits(bucket, rate, ready_ms + 0.01), 1)
      assert.strictEqual(Pace.availablePermits(bucket, rate, at_ms + (ready_ms - at_ms) * 0.9), 0)
    },
  )

  it("lets less go at once after an idle time than after a time in which it was waited for", () => {
    const idle = Pace.takePermits(Pace.newBucket(0), 100, 10_000, 0)
    assert.strictEqual(Pace.availablePermits(idle, 100, 3_600_000), 25)
    const waited = Pace.takePermits(Pace.newBucket(0), 100, 10_000, 1)
    assert.strictEqual(Pace.availablePermits(waited, 100, 3_600_000), 101)
  })

  it("goes by the limit of the moment, and a clock that was set back fills nothing in", () => {
    const bucket = Pace.takePermits(Pace.newBucket(0), 100, 1000, 1)
    assert.strictEqual(Pace.availablePermits(bucket, 10, 3000), 11)
    assert.strictEqual(Pace.availablePermits(bucket, 1000, 2000), 1001)
    const set_back = Pace.takePermits(bucket, 100, -3_600_000, Pace.availablePermits(bucket, 100, -3_600_000))
    assert.isBelow(Pace.availablePermits(set_back, 100, -3_600_000), 1)
    assert.strictEqual(Pace.availablePermits(set_back, 100, -3_599_000), 100)
  })
})
