// Tests of the token bucket's guarantees: at most one minute's worth at once, never more than the inflow, and no allowed
// request refused.
import {
  type Block,
  blockOf,
  blockSize,
  type Bucket,
  takeBlock,
  takeFromBlock,
  takeToken as takeFrom,
} from "@tentpole/core/kernel/runtime/TokenBucket"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const PerMinute = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))
const Gaps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 }))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(400),
)

const take = (bucket: Bucket | undefined, perMinute: number, now_ms: number) =>
  takeFrom(bucket, { capacity: perMinute, per_second: perMinute / 60 }, now_ms)

/** Requests one after another, with these pauses before each. */
const run = (perMinute: number, gaps: ReadonlyArray<number>) => {
  let bucket: Bucket | undefined
  let now_ms = 1_000_000
  return gaps.map((gap) => {
    now_ms += gap
    const taken = take(bucket, perMinute, now_ms)
    bucket = taken.bucket
    return { ...taken, now_ms }
  })
}

describe("Token bucket", () => {
  it.prop("allows in any time range at most its content and the inflow", [PerMinute, Gaps], ([rate, gaps]) => {
    const all = run(rate, gaps)
    const passed = all.filter(({ allowed }) => allowed)
    for (const [from, first] of passed.entries()) {
      const last = passed.at(-1) ?? first
      const stretch_ms = last.now_ms - first.now_ms
      assert.isAtMost(passed.length - from, rate + (stretch_ms * rate) / 60_000 + 1e-6)
    }
  })

  it.prop("allows exactly as many requests as it reports as remaining", [PerMinute, Gaps], ([rate, gaps]) => {
    const last = run(Math.min(rate, 500), gaps).at(-1)
    if (last === undefined) return
    let { bucket } = last
    for (let each = 0; each < last.remaining; each++) {
      const taken = take(bucket, Math.min(rate, 500), last.now_ms)
      assert.isTrue(taken.allowed)
      bucket = taken.bucket
    }
    assert.isFalse(take(bucket, Math.min(rate, 500), last.now_ms).allowed)
  })

  it.prop("allows a request after the reported wait, and is full at the reset", [PerMinute], ([rate]) => {
    let bucket: Bucket | undefined
    let taken = take(bucket, rate, 0)
    while (taken.allowed) taken = take((bucket = taken.bucket), rate, 0)
    assert.isAtLeast(taken.retryAfter_s, 1)
    assert.isTrue(take(bucket, rate, taken.retryAfter_s * 1000).allowed)
    assert.isAtLeast(take(taken.bucket, rate, taken.reset_s * 1000).remaining, rate - 1)
  })

  it("turns 1,200 a minute into 20 a second, evenly", () => {
    let bucket: Bucket | undefined
    for (let each = 0; each < 1200; each++) bucket = take(bucket, 1200, 0).bucket
    assert.isFalse(take(bucket, 1200, 49).allowed)
    assert.isTrue(take(bucket, 1200, 50).allowed)
    assert.strictEqual(take(bucket, 1200, 10_000).remaining, 199)
    assert.strictEqual(take(bucket, 1200, 0).reset_s, 60)
  })

  it("neither adds nor removes tokens when the clock is set back", () => {
    const first = take(undefined, 60, 100_000)
    const back = take(first.bucket, 60, 10_000)
    assert.deepStrictEqual([back.allowed, back.remaining], [true, 58])
    assert.strictEqual(take(back.bucket, 60, 10_000).remaining, 57)
  })

  it.prop(
    "allows several processes with blocks at most one block more than the bucket",
    [PerMinute, Gaps],
    ([rate, gaps]) => {
      const options = { capacity: rate, per_second: rate / 60 }
      let bucket: Bucket | undefined
      const blocks: Array<Block | undefined> = [undefined, undefined, undefined]
      let [now_ms, accepted] = [0, 0]
      for (const [each, gap] of gaps.entries()) {
        now_ms += gap
        const process = (each * 7 + gap) % blocks.length
        // Each process sends many requests at a time.
        for (let request = 0; request < Math.min(50, rate); request++) {
          let found = takeFromBlock(blocks[process], options, now_ms)
          if (found === null) {
            const taken = takeBlock(
              bucket,
              { wanted: blockSize(options), returned: blocks[process]?.tokens ?? 0 },
              options,
              now_ms,
            )
            bucket = taken.bucket
            blocks[process] = blockOf(taken, options)
            found = takeFromBlock(blocks[process], options, now_ms)
          }
          blocks[process] = found?.block
          if (found?.taken.allowed === true) accepted++
        }
        assert.isAtMost(accepted, rate + blockSize(options) + (now_ms * rate) / 60_000 + 1e-6)
      }
    },
  )

  it("counts one process with blocks like a bucket without blocks", () => {
    const options = { capacity: 1_200, per_second: 20 }
    let [bucket, block, plain]: [Bucket | undefined, Block | undefined, Bucket | undefined] = [
      undefined,
      undefined,
      undefined,
    ]
    for (let each = 0; each < 5_000; each++) {
      const now_ms = each * 7
      const expected = take(plain, 1_200, now_ms)
      plain = expected.bucket
      let found = takeFromBlock(block, options, now_ms)
      if (found === null) {
        const taken = takeBlock(bucket, { wanted: blockSize(options), returned: block?.tokens ?? 0 }, options, now_ms)
        bucket = taken.bucket
        found = takeFromBlock((block = blockOf(taken, options)), options, now_ms)
      }
      block = found?.block
      const { bucket: _, ...shown } = expected
      assert.deepInclude(found?.taken, shown, `request ${each}`)
    }
  })
})
