// Tests of the segments of the send journal: their keys, and which of them a restore reads.
import { assert, describe, it } from "@effect/vitest"
import { keyOfSegment, type Segment, segmentOfKey, segmentsAfter } from "@tentpole/core/sending/journal/Segment"

const [one, two] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]
const segment = (counter: number, number: number, attempt = 0, run = one): Segment => ({
  day: "2026-11-23",
  run,
  counter,
  number,
  attempt,
})
const numbersAfter = (all: ReadonlyArray<Segment>, counter: number) =>
  segmentsAfter(all, counter).segments.map(({ number }) => number)

describe("segmentOfKey", () => {
  it("reads the keys of segments, and no other key", () => {
    const all = segment(12, 3, 4)
    const key = keyOfSegment(all)
    assert.deepStrictEqual(segmentOfKey(key), all)
    for (const other of [`${key}-1`, `x${key}`, key.replace("-3-", "-x-"), key.replace("2026-11-23", "today"), ""]) {
      assert.isUndefined(segmentOfKey(other), other)
    }
  })
})

describe("segmentsAfter", () => {
  it("returns each run in the order in which it was written", () => {
    const written = [segment(1, 0), segment(1, 1, 0), segment(1, 1, 1), segment(2, 2), segment(9, 10)]
    const others = written.map((each) => ({ ...each, run: two }))
    const mixed = [...written.toReversed(), ...others.toReversed()]
    assert.deepStrictEqual(segmentsAfter(mixed, 0).segments, [...written, ...others])
  })

  it("leaves out a segment whose run has written two later values that are not after the counter", () => {
    const all = [segment(1, 0), segment(3, 1), segment(5, 2), segment(7, 3)]
    assert.deepStrictEqual(numbersAfter(all, 4), [0, 1, 2, 3])
    assert.deepStrictEqual(numbersAfter(all, 5), [1, 2, 3])
    assert.deepStrictEqual(numbersAfter(all, 6), [1, 2, 3])
    assert.deepStrictEqual(numbersAfter(all, 7), [2, 3])
    assert.deepStrictEqual(numbersAfter(all, 100), [2, 3], "the last two may be read in any case")
  })

  it("leaves a run out of the account of another", () => {
    const all = [segment(1, 0), segment(5, 0, 0, two), segment(7, 1, 0, two)]
    assert.deepStrictEqual(segmentsAfter(all, 100).segments, all)
  })

  it("reports a number that is missing among those to read, and no other", () => {
    const gap = (all: ReadonlyArray<Segment>, counter = 0) => segmentsAfter(all, counter).gap
    assert.isTrue(gap([segment(1, 0), segment(1, 2)]))
    assert.isFalse(gap([segment(1, 0), segment(1, 1, 1), segment(1, 2)]), "another attempt")
    assert.isFalse(gap([segment(1, 4), segment(1, 5)]), "old ones are deleted")
    assert.isFalse(gap([segment(1, 0), segment(3, 2), segment(5, 3), segment(7, 4)], 7), "before the time in question")
  })
})
