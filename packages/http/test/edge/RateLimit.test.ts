// Tests of the rate limit of API keys.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { settingsLayer, tagged } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Answered, servingOver, world } from "../fixtures/World.ts"

const limited = Layer.provideMerge(Layer.empty, Layer.merge(world, settingsLayer({ requestsPerMinute_max: 3 })))

const headersOf = ({ headers }: Answered) =>
  ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) => headers.get(name))

it.live("reports the remaining requests on every answer, and 429 with Retry-After at the limit", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(limited, Api, handlers)
    const all = [
      yield* call("GET", "/v1/contact-lists"),
      yield* call("GET", "/v1/contact-lists?limit=0"),
      yield* call("GET", "/v1/contacts/7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
      yield* call("GET", "/v1/contact-lists"),
    ]
    assert.deepStrictEqual(
      all.map(({ status }) => status),
      [200, 400, 404, 429],
    )
    assert.deepStrictEqual(
      all.map((answered) => headersOf(answered).slice(0, 2)),
      [2, 1, 0, 0].map((left) => ["3", String(left)]),
    )
    for (const answered of all) assert.match(headersOf(answered)[2] ?? "", /^([1-9]|[1-5]\d|60)$/)
    const [refused] = all.slice(-1)
    assert.strictEqual(refused?.json.error_code, "rate_limited")
    assert.match(refused?.headers.get("retry-after") ?? "", /^([1-9]|1\d|20)$/)
    assert.strictEqual(refused?.json.details.request_id, refused?.headers.get("x-request-id"))
  }).pipe(Effect.scoped),
)

const headerSpoofingTest = tagged(it.live, "attack/header-spoofing")
headerSpoofingTest("limits each key separately, and does not count unknown keys", () =>
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(limited, Api, handlers)
    for (let each = 0; each < 4; each++) yield* call("GET", "/v1/contact-lists")
    const { create, createKey } = Context.get(context, Workspaces)
    const { id } = yield* create({ name: "another", slug: "another" })
    const authorization = `Bearer ${(yield* createKey(id, { name: "k" })).raw}`
    assert.strictEqual((yield* call("GET", "/v1/contact-lists", { headers: { authorization } })).status, 200)
    const unknown = yield* call("GET", "/v1/contact-lists", { headers: { authorization: "Bearer unknown" } })
    assert.deepStrictEqual([unknown.status, headersOf(unknown)], [401, [null, null, null]])
  }).pipe(Effect.scoped),
)

it.live("does not use up the idempotency key of a refused request", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(limited, Api, handlers)
    for (let each = 0; each < 3; each++) yield* call("GET", "/v1/contact-lists")
    const sent = { json: { name: "x", kind: "static" }, headers: { "idempotency-key": "one" } }
    const refused = yield* call("POST", "/v1/contact-lists", sent)
    assert.strictEqual(refused.status, 429)
    assert.isNull(refused.headers.get("idempotency-replayed"))
  }).pipe(Effect.scoped),
)

it.live("sends no headers without a limit", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(world, Api, handlers)
    assert.deepStrictEqual(headersOf(yield* call("GET", "/v1/contact-lists")), [null, null, null])
  }).pipe(Effect.scoped),
)
