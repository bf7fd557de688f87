// Tests of the progress and the report of a blast, and of email analytics.
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Settlement } from "@tentpole/core/sending/Settlement"
import { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { EngagementChange } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import { clicksOf } from "@tentpole/core/tracking/LinkClicks"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { type Json, serving } from "../../fixtures/World.ts"

const B = "/v1/email-blasts"
const html =
  '<p>Hi <a href="https://shop.test/?who={{contact.email}}">shop</a> <a href="https://shop.test/terms">terms</a></p>'

/** A blast to three people: one message was sent and its first link clicked, one was refused for now, one waits. */
const served = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const made = (path: string, json: object) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
  const get = (path: string) => Effect.map(call("GET", path), ({ json, status }) => ({ json, status }))
  const { items } = yield* made("/v1/contacts", {
    items: ["ann@a.test", "bob@b.test", "cyd@b.test", "dan@b.test"].map((email) => ({ email, unsubscribed: false })),
  })
  const { blast_id } = yield* made(B, { name: "News" })
  const contact_ids = items.map((each: Json) => each.contact_id)
  yield* call("PUT", `${B}/${blast_id}/audience`, { json: { source: "inline", kind: "static", contact_ids } })
  const { json } = yield* call("PUT", `${B}/${blast_id}/email`, { json: { source: "inline", subject: "Hi", html } })
  yield* made(`/v1/emails/${json.email_id}/approve`, {})
  yield* made(`${B}/${blast_id}/send-now`, {})
  const workspace = WorkspaceId.make((yield* Context.get(context, WorkspaceStore).findFirst)?.id ?? "")
  yield* Effect.orDie(Context.get(context, Deliveries).fixAudience(workspace, BlastId.make(blast_id)))
  const deliveries = Context.get(context, DeliveryStore)
  const engagement = Context.get(context, EngagementStore)
  const { transact } = Context.get(context, Transactor)
  const claims = yield* transact(deliveries.claim(workspace, { limit: 10, lease_ms: 60_000 }))
  yield* deliveries.grant(workspace, claims, 60_000)
  const at = yield* DateTime.now
  const settled = (address: string, outcome: Parameters<typeof Settlement.of>[1]) =>
    claims
      .filter((each) => each.address === address)
      .map((each) => Settlement.of(each, outcome, { at, acceptMeansDelivered: true }))
  yield* transact(
    deliveries.settle(workspace, [
      ...settled("ann@a.test", { _tag: "outcome", outcome: { _tag: "accepted", reply: "250 ok" } }),
      ...settled("bob@b.test", { _tag: "outcome", outcome: { _tag: "refused", code: 451, reply: "451 later" } }),
      ...settled("dan@b.test", { _tag: "outcome", outcome: { _tag: "refused", code: 550, reply: "550 5.1.1 no" } }),
    ]),
  )
  const ann = claims.find(({ address }) => address === "ann@a.test") ?? assert.fail("no claim")
  const click = { deliveryId: ann.id, at, link: 0, event: { _tag: "clicked", url: "https://shop.test/" } } as const
  yield* transact(
    Effect.gen(function* () {
      const found = yield* engagement.lock(workspace, [ann.id])
      yield* engagement.apply(workspace, EngagementChange.ofAll(found, [click]))
      yield* engagement.addClicks(workspace, clicksOf(found, [click, click]))
    }),
  )
  return { call, get, made, blast_id, path: `${B}/${blast_id}` }
})

it.live("a blast shows its progress; `progress` has the same figures, and what waits", () =>
  Effect.gen(function* () {
    const { get, path } = yield* served
    const { json: progress, status } = yield* get(`${path}/progress`)
    assert.strictEqual(status, 200)
    const { points, ...rest } = progress
    const { json: blast } = yield* get(path)
    assert.deepInclude(rest, {
      status: "sending",
      paused: false,
      held: false,
      recipient_count: 4,
      queued: 2,
      deferred: 1,
      sent: 1,
      failed: 1,
      blocked: 0,
      stalled: null,
      waiting: [{ domain: "b.test", count: 2, per_second: null }],
    })
    assert.deepInclude(blast, { queued_count: 2, deferred_count: 1, next_attempt_at: rest.next_attempt_at })
    assert.isTrue(rest.per_second > 0 && blast.messages_per_second > 0)
    assert.isTrue(rest.estimated_end_at >= rest.next_attempt_at && blast.estimated_end_at >= blast.next_attempt_at)
    assert.lengthOf(points, 120)
    assert.strictEqual(
      points.reduce((sum: number, each: Json) => sum + each.sent, 0),
      1,
    )
  }),
)

it.live("a report has points, all links of the email, domains and reasons", () =>
  Effect.gen(function* () {
    const { get, path } = yield* served
    const { json: report, status } = yield* get(`${path}/report`)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(report.links, [
      { link_index: 0, url: "https://shop.test/?who={{contact.email}}", recipients: 1, clicks: 2, machine_clicks: 0 },
      { link_index: 1, url: "https://shop.test/terms", recipients: 0, clicks: 0, machine_clicks: 0 },
    ])
    const none = { sent: 0, failed: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0 }
    assert.deepStrictEqual(report.domains, [
      { ...none, domain: "b.test", recipients: 3, failed: 1, bounced: 1 },
      { ...none, domain: "a.test", recipients: 1, sent: 1, delivered: 1, opened: 1, clicked: 1 },
    ])
    assert.deepStrictEqual(report.reasons, [
      { state: "failed", reason: "hard_bounce", count: 1, sample_reply: "550 5.1.1 no" },
    ])
    assert.deepStrictEqual(report.flagged, { machine_opened: 0, machine_clicked: 0 })
    const sum = (name: string) => report.points.reduce((all: number, each: Json) => all + each[name], 0)
    assert.deepStrictEqual(["sent", "failed", "opened", "clicked"].map(sum), [1, 1, 1, 1])
  }),
)

it.live("recipients are found by state, domain, reason and link", () =>
  Effect.gen(function* () {
    const { call, get, path } = yield* served
    const emails = (query: string) =>
      Effect.map(get(`${path}/contacts?${query}`), ({ json }) => json.contacts.map((each: Json) => each.email))
    assert.deepStrictEqual(yield* emails("category=deferred"), ["bob@b.test"])
    assert.deepStrictEqual(yield* emails("category=queued&domain=B.test&sort=email&order=asc"), [
      "bob@b.test",
      "cyd@b.test",
    ])
    assert.deepStrictEqual(yield* emails("reason=hard_bounce"), ["dan@b.test"])
    assert.deepStrictEqual(yield* emails("link_index=0"), ["ann@a.test"])
    assert.deepStrictEqual(yield* emails("link_index=1"), [])
    for (const query of ["category=lost", "reason=lost", "link_index=-1", "link_index=x", "domain="]) {
      assert.strictEqual((yield* call("GET", `${path}/contacts?${query}`)).status, 400, query)
    }
  }),
)

it.live("email analytics have gapless points, totals and groups", () =>
  Effect.gen(function* () {
    const { blast_id, call, get } = yield* served
    const { json } = yield* get("/v1/analytics/email?by=blast")
    assert.strictEqual(json.interval, "day")
    assert.lengthOf(json.points, 30)
    const counts = {
      sent: 1,
      failed: 1,
      delivered: 1,
      opened: 1,
      clicked: 1,
      bounced: 1,
      complained: 0,
      unsubscribed: 0,
    }
    assert.deepStrictEqual(json.totals, counts)
    assert.deepStrictEqual(json.groups, [{ key: blast_id, name: "News", totals: counts }])
    assert.strictEqual(json.before.sent, 0)
    const hours = yield* get("/v1/analytics/email?interval=hour&by=domain")
    assert.lengthOf(hours.json.points, 24)
    assert.deepStrictEqual(
      hours.json.groups.map(({ key }: Json) => key),
      ["a.test", "b.test"],
    )
    const old = yield* get("/v1/analytics/email?from=2026-05-01&to=2026-05-03T00:00:00Z")
    assert.deepStrictEqual(
      old.json.points.map(({ at, sent }: Json) => [at, sent]),
      [
        ["2026-05-01T00:00:00.000Z", 0],
        ["2026-05-02T00:00:00.000Z", 0],
      ],
    )
    for (const query of [
      "from=x",
      "from=2026-05-03&to=2026-05-03",
      "from=2020-01-01&to=2026-01-01",
      "by=day",
      "interval=week",
    ]) {
      assert.strictEqual((yield* call("GET", `/v1/analytics/email?${query}`)).status, 400, query)
    }
  }),
)
