// Numbers and times as the console shows them.
import { assert, describe, it } from "vitest"
import { formatsOf } from "../src/formats.ts"

const at = "2026-11-25T23:30:00.000Z"

describe("formatsOf", () => {
  it("shows times in the given zone, not in that of the machine", () => {
    assert.include(formatsOf("en-GB", "Europe/Berlin").dateTime(at), "26 Nov 2026")
    assert.include(formatsOf("en-GB", "America/New_York").dateTime(at), "25 Nov 2026")
  })

  it("shows a day of figures as that day in every zone", () => {
    assert.strictEqual(formatsOf("en-GB", "America/New_York").utcDay("2026-11-25"), "25 Nov 2026")
    assert.strictEqual(formatsOf("en-GB", "Asia/Tokyo").utcDay("2026-11-25T00:00:00.000Z"), "25 Nov 2026")
  })

  it("uses the spelling of the language", () => {
    assert.strictEqual(formatsOf("de", "UTC").number(1_204_311), "1.204.311")
    assert.strictEqual(formatsOf("en", "UTC").number(1_204_311), "1,204,311")
  })

  it("shows a share of nothing as a dash", () => {
    const { share } = formatsOf("en", "UTC")
    assert.deepStrictEqual([share(1, 3), share(0, 0)], ["33.3%", "–"])
  })

  it("counts to a time from now in the largest unit that fits", () => {
    const { relative } = formatsOf("en", "UTC")
    const now_ms = Date.parse(at)
    const times = [-30_000, -7_200_000, 259_200_000].map((ms) => relative(new Date(now_ms + ms), now_ms))
    assert.deepStrictEqual(times, ["30 seconds ago", "2 hours ago", "in 3 days"])
  })

  it("shows bytes in kilobytes of 1,024", () => {
    const { bytes } = formatsOf("en", "UTC")
    assert.deepStrictEqual(
      [bytes(1), bytes(331), bytes(38 * 1_024), bytes(1.5 * 2 ** 20), bytes(2.1 * 2 ** 30)],
      ["1 byte", "331 bytes", "38 kB", "1.5 MB", "2.1 GB"],
    )
  })

  it("shows a duration in two units at most", () => {
    const { duration } = formatsOf("en", "UTC")
    assert.deepStrictEqual([24.4, 200, 7_500].map(duration), ["24 sec", "3 min 20 sec", "2 hr 5 min"])
  })
})
