// Tests of the traffic endpoints.
import { tagged } from "@tentpole/core/contract"
import { Tents } from "@tentpole/core/tents/Tents"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { tenants } from "../../attacks/AttackFixture.ts"
import { alias } from "../../fixtures/PagesWorld.ts"
import { serving, unknownId, world } from "../../fixtures/World.ts"

const tentOf = Effect.fnUntraced(function* (
  tents: Tents["Service"],
  workspace: Parameters<Tents["Service"]["create"]>[0],
) {
  const prompt = "Build a website for a bakery"
  const {
    tent: { id },
  } = yield* tents.create(
    workspace,
    {
      name: "n",
      prompt,
      includeBrand: false,
      autoPublish: false,
      assetIds: [],
    },
    "a key",
  )
  yield* tents.runGeneration(workspace, id)
  yield* tents.publish(workspace, id, { alias: alias("/") })
  return id
}, Effect.orDie)

const foreignAliasTest = tagged(it.live, "attack/foreign-alias")
foreignAliasTest("a tent's traffic is found by id, alias or `/`, and invalid daysBack means 7", () =>
  Effect.gen(function* () {
    const { tenant, context } = yield* tenants(world)
    const [ours, theirs] = [yield* tenant("ours"), yield* tenant("theirs")]
    const id = yield* tentOf(Context.get(context, Tents), ours.workspace)
    const get = (query: string) => ours.call("GET", `/v1/analytics/tent?${query}`)
    for (const name of [id, id.toUpperCase(), "/", "%2F"]) {
      const { status, json } = yield* get(`tentIdOrAlias=${name}`)
      assert.deepStrictEqual([status, json.tent_id, json.pageviews, json.daily_pageviews.length], [200, id, 0, 7])
    }
    for (const [daysBack, days] of [
      ["1", 1],
      ["3", 3],
      ...["", "0", "8", "-1", "x", "1.5", "%00", "1e0", "__proto__"].map((text) => [text, 7] as const),
    ] as const) {
      const asked = yield* get(`tentIdOrAlias=/&daysBack=${daysBack}`)
      if (daysBack === "%00") assert.strictEqual(asked.status, 400)
      else assert.deepStrictEqual([asked.status, asked.json.date_range?.days], [200, days], daysBack)
    }
    for (const [query, status] of [
      ["", 400],
      ["tentIdOrAlias=", 400],
      ["tentIdOrAlias=/&tentIdOrAlias=/", 400],
      ["tentIdOrAlias=/&tent_id=1", 400],
      ["tentIdOrAlias=%00", 400],
      ["tentIdOrAlias=..%2Fetc", 400],
      [`tentIdOrAlias=${unknownId}`, 404],
      ["tentIdOrAlias=nothing", 404],
    ] as const) {
      assert.strictEqual((yield* get(query)).status, status, query)
    }
    // Tents of another workspace are not found.
    for (const name of [id, "/"]) {
      assert.strictEqual((yield* theirs.call("GET", `/v1/analytics/tent?tentIdOrAlias=${name}`)).status, 404)
    }
    const whole = yield* theirs.call("GET", "/v1/analytics/workspace?daysBack=2")
    assert.deepStrictEqual([whole.status, whole.json.top_tents, whole.json.date_range.days], [200, [], 2])
  }).pipe(Effect.scoped),
)

it.live("traffic requires an API key", () =>
  Effect.gen(function* () {
    const { call } = yield* serving(Api, handlers)
    for (const path of ["/v1/analytics/tent?tentIdOrAlias=/", "/v1/analytics/workspace"]) {
      assert.strictEqual((yield* call("GET", path, { headers: { authorization: "" } })).status, 401)
    }
  }).pipe(Effect.scoped),
)

it.live("traffic over time is of the workspace or of one tent, in whole days", () =>
  Effect.gen(function* () {
    const { tenant, context } = yield* tenants(world)
    const [ours, theirs] = [yield* tenant("ours"), yield* tenant("theirs")]
    const id = yield* tentOf(Context.get(context, Tents), ours.workspace)
    const get = (query: string, caller = ours) => caller.call("GET", `/v1/analytics/traffic?${query}`)
    const { json } = yield* get(`tent_id=${id}&from=2026-05-01T10:00:00Z&to=2026-05-04`)
    assert.deepStrictEqual(json.date_range, { start_date: "2026-05-01", end_date: "2026-05-03", days: 3 })
    assert.deepStrictEqual(json.daily_pageviews[0], {
      date: "2026-05-01",
      pageviews: 0,
      submissions: 0,
      conversion_rate: null,
    })
    assert.deepStrictEqual([json.top_tents, json.submissions, json.conversion_rate], [[], 0, null])
    assert.strictEqual((yield* get("")).json.daily_pageviews.length, 30)
    for (const [query, status] of [
      ["from=2024-01-01&to=2026-01-01", 400],
      ["tent_id=x", 400],
      [`tent_id=${unknownId}`, 404],
    ] as const) {
      assert.strictEqual((yield* get(query)).status, status, query)
    }
    assert.strictEqual((yield* get(`tent_id=${id}`, theirs)).status, 404)
  }),
)
