// The speed of a run from the counts that arrive.
import { assert, describe, it } from "vitest"
import { left_s, rateOf, type Sample, sampled } from "../../src/imports/run/pace.ts"

const samples = (...pairs: ReadonlyArray<readonly [at_ms: number, rows: number]>): ReadonlyArray<Sample> =>
  pairs.reduce<ReadonlyArray<Sample>>((before, [at_ms, rows]) => sampled(before, { at_ms, rows }), [])

describe("rateOf", () => {
  it("is the rate of the last seconds", () => {
    assert.strictEqual(rateOf(samples([0, 0], [2_000, 4_000])), 2_000)
    assert.strictEqual(rateOf(samples([0, 0], [30_000, 300_000], [32_000, 302_000])), 1_000)
  })

  it("is unknown after one count, within a second, and while nothing moves", () => {
    assert.isNull(rateOf(samples([0, 0])))
    assert.isNull(rateOf(samples([0, 0], [500, 1_000])))
    assert.isNull(rateOf(samples([0, 100], [5_000, 100])))
    assert.isNull(rateOf(samples([0, 5_000], [5_000, 100])))
  })
})

describe("left_s", () => {
  it("is the time for the rest of the rows", () => {
    assert.strictEqual(left_s(1_000, 412_000, 436_000), 24)
    assert.isNull(left_s(null, 0, 10))
    assert.isNull(left_s(5, 0, null))
  })
})
