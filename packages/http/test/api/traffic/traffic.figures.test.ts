// Tests of the endpoints of contact, topic and credit figures.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { tenants } from "../../attacks/AttackFixture.ts"
import { type Json, serving, world } from "../../fixtures/World.ts"

it.live("contact figures count what happened on each day, and stay when contacts are deleted", () =>
  Effect.gen(function* () {
    const { tenant } = yield* tenants(world)
    const [ours, theirs] = [yield* tenant("ours"), yield* tenant("theirs")]
    const get = (query = "", caller = ours) =>
      Effect.map(caller.call("GET", `/v1/analytics/contacts${query}`), ({ json }) => json)
    const people = [
      { email: "ann@example.org" },
      { email: "bob@example.org" },
      { email: "cyd@example.org", unsubscribed: true, original_source: "a fair" },
    ]
    const { json: created } = yield* ours.call("POST", "/v1/contacts", { json: { items: people } })
    const [ann, bob] = created.items.map((each: Json) => each.contact_id)
    yield* ours.call("PATCH", `/v1/contacts/${bob}`, { json: { unsubscribed: true } })
    yield* ours.call("PATCH", `/v1/contacts/${bob}`, { json: { city: "Bern" } })
    yield* ours.call("DELETE", `/v1/contacts/${ann}`)

    const found = yield* get()
    assert.lengthOf(found.points, 30)
    const sums = { created: 3, deleted: 1, unsubscribed: 1 }
    // A test that runs over midnight (UTC) has its counts on two days.
    const sum = (key: keyof typeof sums) => found.points.reduce((total: number, each: Json) => total + each[key], 0)
    assert.deepStrictEqual([sum("created"), sum("deleted"), sum("unsubscribed")], [3, 1, 1])
    assert.deepStrictEqual(found.totals, sums)
    assert.deepStrictEqual(found.before, { created: 0, deleted: 0, unsubscribed: 0 })
    assert.deepStrictEqual(
      found.points.map((each: Json) => each.total).filter((_: number, nth: number) => nth === 0 || nth === 29),
      [0, 2],
    )
    assert.deepStrictEqual(found.by_source, [
      { source: "api", created: 2 },
      { source: "other", created: 1 },
    ])
    assert.deepStrictEqual((yield* get("", theirs)).totals, { created: 0, deleted: 0, unsubscribed: 0 })
    const old = yield* get("?from=2026-05-01T10:00:00Z&to=2026-05-04")
    assert.deepStrictEqual(
      old.points,
      ["2026-05-01", "2026-05-02", "2026-05-03"].map((date) => ({
        date,
        created: 0,
        deleted: 0,
        unsubscribed: 0,
        total: 0,
      })),
    )
  }),
)

it.live("credit figures have the balance, and what generations took and gave back", () =>
  Effect.gen(function* () {
    const { tenant } = yield* tenants(world)
    const ours = yield* tenant("ours")
    const get = Effect.map(ours.call("GET", "/v1/analytics/credits"), ({ json }) => json)
    const before = (yield* get).balance
    const brief = { name: "Hello", prompt: "A letter about garden chairs" }
    yield* ours.call("POST", "/v1/emails", { json: brief })
    const { json: removed } = yield* ours.call("POST", "/v1/emails", { json: brief })
    yield* ours.call("POST", "/v1/tents", { json: { name: "Page", prompt: "A landing page for a bakery" } })
    yield* ours.call("DELETE", `/v1/emails/${removed.email_id}`)
    const { balance, by_kind, points } = yield* get
    const sum = (key: "spent" | "returned") => points.reduce((total: number, each: Json) => total + each[key], 0)
    assert.deepStrictEqual([balance, sum("spent"), sum("returned")], [before - 2, 3, 1])
    assert.deepStrictEqual(by_kind, [
      { kind: "email", spent: 2 },
      { kind: "tent", spent: 1 },
    ])
    assert.lengthOf(points, 30)
  }),
)

it.live("topic figures count who subscribed and who left, each once, and not who waits for a confirmation", () =>
  Effect.gen(function* () {
    const { tenant } = yield* tenants(world)
    const [ours, theirs] = [yield* tenant("ours"), yield* tenant("theirs")]
    const { json: topic } = yield* ours.call("POST", "/v1/topics", {
      json: { name: "News", default_subscription: "unsubscribed" },
    })
    const get = (query = "", caller = ours) =>
      caller.call("GET", `/v1/analytics/topic?topic_id=${topic.topic_id}${query}`)
    const people = [{ email: "ann@example.org" }, { email: "bob@example.org" }]
    const { json: created } = yield* ours.call("POST", "/v1/contacts", { json: { items: people } })
    const consent = { text: "Yes, send me the letter.", source: "checkout" }
    const choose = (nth: number, status: string, more: Json = {}) =>
      ours.call("PUT", `/v1/contacts/${created.items[nth].contact_id}/topics`, {
        json: { items: [{ topic_id: topic.topic_id, status, ...more }] },
      })
    yield* choose(0, "subscribed", { consent })
    yield* choose(0, "subscribed", { consent })
    yield* choose(1, "subscribed", { consent: { ...consent, collected_at: "2026-05-02T23:59:59.999Z" } })
    yield* choose(0, "unsubscribed")
    const { json: now } = yield* get()
    assert.lengthOf(now.points, 30)
    assert.deepStrictEqual([now.topic_id, now.totals], [topic.topic_id, { subscribed: 1, unsubscribed: 1 }])
    assert.deepStrictEqual(now.before, { subscribed: 0, unsubscribed: 0 })
    const { json: old } = yield* get("&from=2026-05-02&to=2026-05-04")
    assert.deepStrictEqual(old.points, [
      { date: "2026-05-02", subscribed: 1, unsubscribed: 0 },
      { date: "2026-05-03", subscribed: 0, unsubscribed: 0 },
    ])
    assert.deepStrictEqual((yield* get("&from=2026-05-03&to=2026-05-04")).json.before, {
      subscribed: 1,
      unsubscribed: 0,
    })
    assert.strictEqual((yield* get("", theirs)).status, 404)
    assert.strictEqual((yield* get("&from=2025-01-01&to=2026-02-06")).status, 400)
    assert.strictEqual((yield* ours.call("GET", "/v1/analytics/topic")).status, 400)
  }),
)

it.live("figures of days refuse ranges above 400 days, an end before the beginning, and unknown parameters", () =>
  Effect.gen(function* () {
    const { call } = yield* serving(Api, handlers)
    for (const path of ["/v1/analytics/contacts", "/v1/analytics/credits"]) {
      for (const [query, status] of [
        ["from=2025-01-01&to=2026-02-05", 200],
        ["from=2025-01-01&to=2026-02-06", 400],
        ["from=2026-05-02&to=2026-05-01", 400],
        ["from=yesterday", 400],
        ["interval=hour", 400],
        ["from=2026-05-01&from=2026-05-02", 400],
      ] as const) {
        assert.strictEqual((yield* call("GET", `${path}?${query}`)).status, status, `${path}?${query}`)
      }
      assert.strictEqual((yield* call("GET", path, { headers: { authorization: "" } })).status, 401)
    }
  }),
)
