// What Home decides without a browser.
import type { EmailFigures, WebhookEndpoint } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import type { WatchedBlast } from "../src/api/changes.ts"
import { cardsOf, contactCard, daysOf, growthOf, isBouncing, needsOf, shareOfRows, spentOf } from "../src/home/home.ts"

const figures = (some: Partial<EmailFigures>): EmailFigures => ({
  sent: 0,
  failed: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  ...some,
})

const none = figures({})

describe("the cards", () => {
  it("compare counts in percent and shares in points with the time before", () => {
    const now = figures({ sent: 300, delivered: 200, opened: 100, clicked: 20, bounced: 3 })
    const before = figures({ sent: 200, delivered: 100, opened: 40, clicked: 10, bounced: 4 })
    assert.deepStrictEqual(
      cardsOf(now, before).map(({ change, name, value }) => [name, value, Math.round((change ?? 0) * 100) / 100]),
      [
        ["sent", 300, 0.5],
        ["opened", 0.5, 0.1],
        ["clicked", 0.1, 0],
        ["bounced", 0.01, -0.01],
      ],
    )
  })

  it("have no share of nothing and no change without a time before", () => {
    assert.deepStrictEqual(
      cardsOf(none, none).map(({ change, value }) => [value, change]),
      [
        [0, null],
        [null, null],
        [null, null],
        [null, null],
      ],
    )
  })
})

it("the card of contacts counts the new ones against as long a time before", () => {
  const totals = (created: number) => ({ created, deleted: 9, unsubscribed: 9 })
  assert.deepInclude(contactCard({ totals: totals(30), before: totals(20) }), { kind: "count", value: 30, change: 0.5 })
  assert.strictEqual(contactCard({ totals: totals(30), before: totals(0) }).change, null)
})

it("credits are spent without those that were returned, and never less than none", () => {
  const day = (spent: number, returned: number) => ({ date: "2026-05-01", spent, returned })
  assert.strictEqual(spentOf({ points: [day(3, 1), day(2, 0)] }), 4)
  assert.strictEqual(spentOf({ points: [day(0, 2)] }), 0)
})

it("each day has its new contacts and sign-ups, also before the sign-ups are known", () => {
  const point = (date: string, created: number) => ({ date, created, deleted: 0, unsubscribed: 0, total: 9 })
  const points = [point("2026-05-01", 2), point("2026-05-02", 1)]
  const views = { pageviews: 9, conversion_rate: null }
  const traffic = { daily_pageviews: [{ date: "2026-05-02", submissions: 4, ...views }] }
  assert.deepStrictEqual(growthOf({ points }, traffic), [
    { at: "2026-05-01", created: 2, submissions: 0 },
    { at: "2026-05-02", created: 1, submissions: 4 },
  ])
  assert.deepStrictEqual(
    growthOf({ points }, undefined).map(({ submissions }) => submissions),
    [0, 0],
  )
})

it("a range ends with today, UTC", () => {
  const now_ms = Date.parse("2026-03-01T23:30:00Z")
  assert.deepStrictEqual(daysOf(7, now_ms), { from: "2026-02-23", to: "2026-03-02" })
})

it("bounces need a person only if they are many and more than before", () => {
  const before = figures({ sent: 1_000, bounced: 10 })
  assert.isTrue(isBouncing(figures({ sent: 1_000, bounced: 30 }), before))
  assert.isFalse(isBouncing(figures({ sent: 1_000, bounced: 15 }), before))
  assert.isFalse(isBouncing(figures({ sent: 50, bounced: 10 }), none))
  assert.isFalse(isBouncing(figures({ sent: 1_000, bounced: 30 }), figures({ sent: 1_000, bounced: 40 })))
})

it("blasts that wait for a person come first, each for one reason", () => {
  const blast = (name: string, progress: Partial<WatchedBlast["progress"]>) =>
    ({
      blast_id: name,
      name,
      progress: { held: false, paused: false, stalled: null, ...progress },
    }) as WatchedBlast
  const endpoint = (disabled_reason: "requested" | "gone") =>
    ({
      endpoint_id: disabled_reason,
      url: "https://crm.example.org/hooks",
      status: "disabled",
      disabled_reason,
      stats: { consecutive_failures: 0 },
    }) as WebhookEndpoint
  const needs = needsOf({
    blasts: [
      blast("a", {}),
      blast("b", { held: true, paused: true }),
      blast("c", { stalled: "limit" }),
      blast("d", { paused: true }),
    ],
    domains: [
      { domain: "acme.test", status: "pending" },
      { domain: "ok.test", status: "verified" },
    ],
    drafts: [{ current_version: 0 }, { current_version: 2 }],
    endpoints: [endpoint("requested"), endpoint("gone")],
    figures: undefined,
    deadJobs: 3,
  })
  assert.deepStrictEqual(needs, [
    { kind: "held", blastId: "b", name: "b" },
    { kind: "stalled", blastId: "c", name: "c" },
    { kind: "paused", blastId: "d", name: "d" },
    { kind: "webhook", endpointId: "gone", name: "crm.example.org" },
    { kind: "jobs", count: 3 },
    { kind: "domain", domain: "acme.test" },
    { kind: "approvals", count: 1 },
  ])
})

it("an import has no share before its rows are counted, and an empty one is complete", () => {
  assert.strictEqual(shareOfRows({ processed_rows: 5, total_rows: null }), null)
  assert.strictEqual(shareOfRows({ processed_rows: 5, total_rows: 10 }), 0.5)
  assert.strictEqual(shareOfRows({ processed_rows: 0, total_rows: 0 }), 1)
})
