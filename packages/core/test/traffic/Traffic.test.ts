import { assert, it } from "@effect/vitest"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  conversionRate,
  type Counts,
  dayOf,
  daysBetween,
  daysUntil,
  readDaysBack,
  toTrafficReport,
} from "@tentpole/core/traffic/Analytics"
import { visitor_bytes, visitorOf } from "@tentpole/core/traffic/Visitor"
import { DateTime, Schema } from "effect"

/** Not a hash, but one-to-one: two values are equal only when they differ in what the rule leaves out. */
const spelled = (bytes: Uint8Array): Uint8Array => {
  let [a, b] = [2166136261, 5381]
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 16777619) >>> 0
    b = (Math.imul(b, 33) + byte) >>> 0
  }
  return Uint8Array.from({ length: 32 }, (_, index) => ((index % 2 === 0 ? a : b) >>> (((index >> 1) % 4) * 8)) & 255)
}

const salt = Uint8Array.of(1, 2, 3)
const who = {
  workspaceId: WorkspaceId.make("00000000-0000-4000-8000-0000000000ff"),
  address: "203.0.113.7",
  userAgent: "Firefox",
}

it("A visitor is the same for the same day, workspace, address and browser, and another otherwise", () => {
  const of = (over: Partial<typeof who> = {}, with_ = salt) => visitorOf(spelled, with_, { ...who, ...over }).join()
  assert.strictEqual(of(), of())
  const others = [
    of({ address: "203.0.113.8" }),
    of({ userAgent: "Chrome" }),
    of({ workspaceId: WorkspaceId.make("00000000-0000-4000-8000-0000000000fe") }),
    of({}, Uint8Array.of(9)),
    of({ address: "203.0.113.7Fire", userAgent: "fox" }),
  ]
  for (const other of others) assert.notStrictEqual(other, of())
  assert.strictEqual(visitorOf(spelled, salt, who).length, visitor_bytes)
})

it("Days back are 1 to 7, and 7 for any other value", () => {
  assert.deepStrictEqual(["1", "4", "7"].map(readDaysBack), [1, 4, 7])
  for (const text of [undefined, "", "0", "8", "-1", "1.5", "01", "1e0", "x", " 3"])
    assert.strictEqual(readDaysBack(text), 7)
})

const Instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))

it.prop(
  "Days run to today's without a gap",
  [Instant, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 }))],
  ([ms, count]) => {
    const days = daysUntil(DateTime.makeUnsafe(ms), count)
    assert.strictEqual(days.all.length, count)
    assert.strictEqual(days.last, dayOf(DateTime.makeUnsafe(ms)))
    assert.deepStrictEqual([days.all[0], days.all.at(-1)], [days.first, days.last])
    for (const [index, day] of days.all.entries()) {
      assert.strictEqual(Date.parse(day), Date.parse(days.first) + index * 86_400_000)
    }
  },
)

it("Days without a view have zero views, and the views add up", () => {
  const range = daysUntil(DateTime.makeUnsafe("2026-05-07T12:00:00Z"), 3)
  const none = { country: [], device: [], browser: [], os: [], referrer: [] }
  const counts: Counts = {
    visits: 2,
    days: [{ day: "2026-05-06", views: 5, submissions: 0 }],
    groups: none,
    recent: [],
  }
  const report = toTrafficReport(range, counts)
  assert.deepStrictEqual(report.days, [
    { day: "2026-05-05", views: 0, submissions: 0 },
    { day: "2026-05-06", views: 5, submissions: 0 },
    { day: "2026-05-07", views: 0, submissions: 0 },
  ])
  assert.strictEqual(report.views, 5)
})

it("The conversion rate is submissions for each view, and null without views", () => {
  assert.strictEqual(conversionRate({ views: 3, submissions: 1 }), 0.3333)
  assert.strictEqual(conversionRate({ views: 0, submissions: 1 }), null)
})

it("A range of days ends before its exclusive end", () => {
  const range = daysBetween({ from: DateTime.makeUnsafe("2026-04-29"), to: DateTime.makeUnsafe("2026-05-02") })
  assert.deepStrictEqual(range, {
    first: "2026-04-29",
    last: "2026-05-01",
    all: ["2026-04-29", "2026-04-30", "2026-05-01"],
  })
})
