// Tests of topics, of what contacts chose, and of consent records over HTTP, on both adapters.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Json, servingOver, unknownId, world } from "../../fixtures/World.ts"

const root = "/v1/topics"
const consent = { text: "Yes, send me the letter.", source: "checkout", ip: "203.0.113.77" }

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("topics on %s", (_, serving) => {
  const begin = Effect.gen(function* () {
    const served = yield* serving
    const create = (name: string, more: Json = {}) =>
      Effect.map(
        served.call("POST", root, { json: { name, default_subscription: "unsubscribed", ...more } }),
        ({ json }) => json,
      )
    const person = Effect.map(
      served.call("POST", "/v1/contacts", { json: { items: [{ email: "ann@example.org" }] } }),
      ({ json }): string => json.items[0].contact_id,
    )
    return { ...served, create, person }
  })

  it.live("are created with defaults, listed in their order, changed, archived and deleted", () =>
    Effect.gen(function* () {
      const { call, create } = yield* begin
      const { created_at: _created, topic_id, updated_at: _updated, ...rest } = yield* create("Monthly news")
      assert.deepStrictEqual(rest, {
        name: "Monthly news",
        slug: "monthly-news",
        description: null,
        default_subscription: "unsubscribed",
        visibility: "private",
        double_opt_in: true,
        position: 0,
        status: "active",
        subscribed_count: 0,
      })
      const taken = yield* call("POST", root, { json: { name: "MONTHLY NEWS", default_subscription: "subscribed" } })
      assert.deepStrictEqual([taken.status, taken.json.error_code], [409, "topic_name_exists"])
      assert.strictEqual(taken.json.details.existing_id, topic_id)
      yield* create("Offers", { position: 0 })
      const first = yield* call("GET", `${root}?limit=1`)
      const second = yield* call("GET", `${root}?limit=1&cursor=${first.json.next_cursor}`)
      assert.deepStrictEqual(
        [...first.json.topics, ...second.json.topics].map(({ name }: Json) => name),
        ["Monthly news", "Offers"],
      )
      assert.strictEqual(second.json.next_cursor, null)
      const fixed = yield* call("PATCH", `${root}/${topic_id}`, { json: { default_subscription: "subscribed" } })
      assert.deepStrictEqual([fixed.status, fixed.json.details.issues[0].path], [400, "default_subscription"])
      const archived = yield* call("PATCH", `${root}/${topic_id}`, { json: { name: "News", status: "archived" } })
      assert.deepStrictEqual([archived.json.name, archived.json.slug], ["News", "monthly-news"])
      const active = yield* call("GET", `${root}?status=active`)
      assert.deepStrictEqual(
        active.json.topics.map(({ name }: Json) => name),
        ["Offers"],
      )
      assert.strictEqual((yield* call("DELETE", `${root}/${topic_id}`)).status, 204)
      assert.strictEqual((yield* call("GET", `${root}/${topic_id}`)).status, 404)
    }),
  )

  it.live("record what a contact chose, with evidence, and count it", () =>
    Effect.gen(function* () {
      const { call, create, person } = yield* begin
      const [news, offers] = [yield* create("News"), yield* create("Offers", { default_subscription: "subscribed" })]
      const contact = yield* person
      const path = `/v1/contacts/${contact}/topics`
      const put = (items: ReadonlyArray<Json>) => call("PUT", path, { json: { items } })
      const refused = yield* put([
        { topic_id: news.topic_id, status: "subscribed" },
        { topic_id: offers.topic_id, status: "unsubscribed" },
      ])
      assert.deepStrictEqual(
        [refused.status, refused.json.updated_count, refused.json.rejected_count, refused.json.items[0].error_code],
        [200, 1, 1, "consent_required"],
      )
      const vouched = yield* put([{ topic_id: news.topic_id, status: "subscribed", consent }])
      assert.strictEqual(vouched.json.updated_count, 1, vouched.text)
      const { json: shown } = yield* call("GET", path)
      assert.deepStrictEqual(
        shown.items.map(({ explicit, name, source, status }: Json) => [name, status, explicit, source]),
        [
          ["News", "subscribed", true, "api"],
          ["Offers", "unsubscribed", true, "api"],
        ],
      )
      const { json: records } = yield* call("GET", `/v1/contacts/${contact}/consent-records?limit=1`)
      const [record] = records.consent_records
      assert.deepStrictEqual(
        [record.action, record.source, record.source_detail, record.text, record.ip_prefix, record.topic_id],
        ["granted", "api", "checkout", consent.text, "203.0.113.0/24", news.topic_id],
      )
      assert.match(record.text_sha256, /^[0-9a-f]{64}$/)
      assert.isNotNull(records.next_cursor)
      const counts = yield* call("GET", root)
      assert.deepStrictEqual(
        counts.json.topics.map(({ subscribed_count }: Json) => subscribed_count),
        [1, 0],
      )
      const used = yield* call("DELETE", `${root}/${news.topic_id}`)
      assert.deepStrictEqual(
        [used.status, used.json.error_code, used.json.used_by],
        [409, "topic_in_use", [{ type: "contacts", id: null, name: null, count: 1 }]],
      )
      const { json: unused } = yield* call("POST", root, {
        json: { name: "Unused", default_subscription: "subscribed" },
      })
      const blast = yield* call("POST", "/v1/email-blasts", { json: { name: "May", topic_id: unused.topic_id } })
      const named = yield* call("DELETE", `${root}/${unused.topic_id}`)
      assert.deepStrictEqual(
        [named.status, named.json.used_by.map(({ id, type }: Json) => [type, id])],
        [409, [["blast", blast.json.campaign_id ?? blast.json.blast_id]]],
      )
    }),
  )

  it.live("refuse unknown and archived topics, and wrong consent", () =>
    Effect.gen(function* () {
      const { call, create, person } = yield* begin
      const { topic_id } = yield* create("News")
      const path = `/v1/contacts/${yield* person}/topics`
      const put = (item: Json) => call("PUT", path, { json: { items: [{ status: "subscribed", ...item }] } })
      const unknown = yield* put({ topic_id: unknownId })
      assert.deepStrictEqual([unknown.status, unknown.json.details.issues[0].path], [404, "items.0.topic_id"])
      const later = { ...consent, ip: "none", collected_at: "2999-01-01T00:00:00Z" }
      const wrong = yield* put({ topic_id, consent: later })
      assert.deepStrictEqual(
        wrong.json.details.issues.map(({ path: at }: Json) => at),
        ["items.0.consent.ip", "items.0.consent.collected_at"],
      )
      yield* call("PATCH", `${root}/${topic_id}`, { json: { status: "archived" } })
      const archived = yield* put({ topic_id, consent })
      assert.deepStrictEqual([archived.status, archived.json.error_code], [400, "topic_archived"])
      assert.strictEqual((yield* put({ topic_id, status: "unsubscribed" })).json.updated_count, 1)
      const rules = { kind: "condition", source: "topic", topicId: unknownId, operator: "is_subscribed" }
      const searched = yield* call("POST", "/v1/contacts/search", { json: { rules } })
      assert.deepStrictEqual([searched.status, searched.json.details.issues[0].path], [400, "rules.topicId"])
    }),
  )
})
