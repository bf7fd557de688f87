// Tests of the ranges of email analytics and of the points of reports.
import { hourlyUntil, reportStarts } from "@tentpole/core/blasts/figures/BlastReports"
import { type AnalyticsQuery, rangeOf } from "@tentpole/core/blasts/figures/EmailAnalytics"
import { emptyFigures, gapless, startsOf, sumOf } from "@tentpole/core/sending/Figures"
import { DateTime, Result } from "effect"
import { assert, describe, it } from "vitest"

const time = (text: string) => DateTime.makeUnsafe(text)
const now = time("2026-05-07T12:34:56.000Z")
const query = (
  over: Partial<Record<"from" | "to", string>> & Partial<Pick<AnalyticsQuery, "interval">>,
): AnalyticsQuery => ({
  by: "none",
  interval: over.interval ?? "day",
  from: over.from === undefined ? null : time(over.from),
  to: over.to === undefined ? null : time(over.to),
})

const read = (asked: AnalyticsQuery) =>
  Result.match(rangeOf(asked, now), {
    onFailure: ({ issues }) => issues.map(({ path }) => path),
    onSuccess: ({ from, to }) => [DateTime.formatIso(from), DateTime.formatIso(to)],
  })

describe("rangeOf", () => {
  it("is the last 30 days, or the last 24 hours, with the current one", () => {
    assert.deepStrictEqual(read(query({})), ["2026-04-08T00:00:00.000Z", "2026-05-08T00:00:00.000Z"])
    assert.deepStrictEqual(read(query({ interval: "hour" })), ["2026-05-06T13:00:00.000Z", "2026-05-07T13:00:00.000Z"])
  })

  it("is extended to whole days or hours; `to` is exclusive", () => {
    const days = query({ from: "2026-05-01T10:00:00Z", to: "2026-05-03" })
    assert.deepStrictEqual(read(days), ["2026-05-01T00:00:00.000Z", "2026-05-03T00:00:00.000Z"])
    const hours = query({ from: "2026-05-01T10:01:00Z", to: "2026-05-01T11:01:00Z", interval: "hour" })
    assert.deepStrictEqual(read(hours), ["2026-05-01T10:00:00.000Z", "2026-05-01T12:00:00.000Z"])
  })

  it("refuses an end before the beginning, and more than 31 or 400 days", () => {
    assert.deepStrictEqual(read(query({ from: "2026-05-03", to: "2026-05-03" })), ["to"])
    assert.deepStrictEqual(read(query({ from: "2026-06-03" })), ["from"])
    assert.lengthOf(read(query({ from: "2026-03-31", to: "2026-05-01", interval: "hour" })), 2)
    assert.deepStrictEqual(read(query({ from: "2026-03-30", to: "2026-05-01", interval: "hour" })), ["from"])
    assert.lengthOf(read(query({ from: "2025-03-27", to: "2026-05-01" })), 2)
    assert.deepStrictEqual(read(query({ from: "2025-03-26", to: "2026-05-01" })), ["from"])
  })
})

describe("reportStarts", () => {
  const launched = time("2026-05-01T10:30:00.000Z")
  const point = (at: string) => ({ ...emptyFigures, at: time(at), sent: 1 })

  it("has hours up to the first midnight after seven days, then days up to the last event", () => {
    assert.strictEqual(DateTime.formatIso(hourlyUntil(launched)), "2026-05-09T00:00:00.000Z")
    assert.strictEqual(DateTime.formatIso(hourlyUntil(time("2026-05-01"))), "2026-05-08T00:00:00.000Z")
    const starts = reportStarts(launched, [point("2026-05-01T10:00:00Z"), point("2026-05-11T00:00:00Z")])
    const hours = 14 + 7 * 24
    assert.strictEqual(DateTime.formatIso(starts[0] ?? now), "2026-05-01T10:00:00.000Z")
    assert.deepStrictEqual(starts.slice(hours - 1).map(DateTime.formatIso), [
      "2026-05-08T23:00:00.000Z",
      "2026-05-09T00:00:00.000Z",
      "2026-05-10T00:00:00.000Z",
      "2026-05-11T00:00:00.000Z",
    ])
  })

  it("has no point without an event, and at most 1,000", () => {
    assert.deepStrictEqual(reportStarts(launched, []), [])
    assert.lengthOf(reportStarts(launched, [point("2036-05-01T00:00:00Z")]), 1_000)
  })

  it("loses no event between its points", () => {
    const points = [point("2026-05-01T10:00:00Z"), point("2026-05-02T23:00:00Z"), point("2026-05-09T00:00:00Z")]
    assert.strictEqual(sumOf(gapless(reportStarts(launched, points), points)).sent, 3)
    assert.lengthOf(gapless(startsOf("day", launched, launched), points), 0)
  })
})
