// Tests of the tent and traffic endpoints.
import { tagged } from "@tentpole/core/contract"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { TentId } from "@tentpole/core/kernel/Ids"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Parsers, TooComplex } from "@tentpole/core/ports/Parsers"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, serving, paths } from "../../fixtures/World.ts"

const prompt = "Create a landing page for a spring sale of garden chairs"
const unknownId = "3f0a1b52-9c1e-4d55-8a77-0123456789ab"
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const served = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  const post = (path: string, json: unknown) => call("POST", path, { json })
  const create = (over: object = {}) => post("/v1/tents", { name: "n", prompt, ...over })
  const status = (id: string) => call("GET", `/v1/tents/${id}`)
  /** Creates a tent and runs its job, as the worker does. */
  const made = Effect.fnUntraced(function* (over: object = {}) {
    const { json } = yield* create(over)
    yield* Context.get(context, Tents).runGeneration(workspace?.id ?? assert.fail(), TentId.make(json.id))
    return (yield* status(json.id)).json
  })
  const publish = (id: string, json: object = {}) => post(`/v1/tents/${id}/publish`, json)
  return { call, post, create, status, made, publish }
})

it.live("create returns 202 with pending, and polls have Retry-After until completion", () =>
  Effect.gen(function* () {
    const { create, status, made } = yield* served
    const { status: code, json } = yield* create({ user_id: "u 7", include_brand: true })
    assert.strictEqual(code, 202)
    assert.match(json.id, uuid4)
    assert.match(json.created_at, instant)
    assert.deepStrictEqual(Object.keys(json).sort(), ["created_at", "id", "status"])
    assert.strictEqual(json.status, "pending")
    const queued = yield* status(json.id)
    assert.deepStrictEqual([queued.json.status, queued.headers.get("retry-after")], ["queued", "10"])
    const done = yield* made()
    const shown = ["created_at", "current_version", "generated_by", "id", "live_version"]
    assert.deepStrictEqual(Object.keys(done).sort(), [...shown, "name", "prompt", "status", "updated_at"])
    assert.strictEqual((yield* status(done.id)).headers.get("retry-after"), null)
  }),
)

it.live("create answers 422 to a prompt that exceeds the limits of parsers, and 503 while too many wait", () =>
  Effect.gen(function* () {
    for (const [refusal, status, code] of [
      [Effect.fail(new TooComplex({ reason: "takes longer than 5 s to read" })), 422, "too_complex"],
      [Effect.die(new Unavailable({ part: "parser" })), 503, "unavailable"],
    ] as const) {
      const { create } = yield* Effect.provideService(served, Parsers, { run: () => refusal })
      const refused = yield* create()
      assert.deepStrictEqual([refused.status, refused.json.error_code], [status, code])
    }
  }),
)

it.live("create reports all issues with their paths", () =>
  Effect.gen(function* () {
    const { create, post } = yield* served
    for (const [over, path] of [
      [{ name: 5 }, "name"],
      [{ name: null }, "name"],
      [{ name: "  " }, "name"],
      [{ prompt: {} }, "prompt"],
      [{ include_brand: "yes" }, "include_brand"],
      [{ auto_publish: 1 }, "auto_publish"],
      [{ user_id: 1 }, "user_id"],
      [{ tent_id: "nope" }, "tent_id"],
      [{ template_id: "nope" }, "template_id"],
      [{ tent_id: unknownId, asset_ids: "a" }, "asset_ids"],
      [{ tent_id: unknownId, asset_ids: Array(6).fill(unknownId) }, "asset_ids"],
      [{ asset_ids: [unknownId] }, "asset_ids"],
      [{ custom_page_alias: "abc" }, "custom_page_alias"],
      [{ auto_publish: true, custom_page_alias: "Not OK" }, "custom_page_alias"],
      [{ auto_publish: true, custom_page_alias: "admin" }, "custom_page_alias"],
      [{ colour: "red" }, "colour"],
      [{ created_at: "2026-01-01T00:00:00.000Z" }, "created_at"],
    ] as const) {
      const answered = yield* create(over)
      assert.deepStrictEqual([answered.status, answered.json.error_code], [400, "validation_failed"], path)
      assert.include(paths(answered), path)
    }
    assert.deepStrictEqual([...paths(yield* post("/v1/tents", { prompt: 1 }))].sort(), ["name", "prompt"])
  }),
)

it.live("create answers 404 for unknown ids, 409 for a tent with a generation, and 400 for an unsuitable prompt", () =>
  Effect.gen(function* () {
    const { create, made } = yield* served
    for (const over of [{ tent_id: unknownId }, { template_id: unknownId }]) {
      const answered = yield* create(over)
      assert.deepStrictEqual([answered.status, paths(answered)], [404, Object.keys(over)])
    }
    const { id } = yield* made()
    assert.strictEqual((yield* create({ tent_id: id })).status, 409)
    const refused = yield* create({ prompt: "What is the capital of France?" })
    assert.deepStrictEqual([refused.status, refused.json.code], [400, "INVALID_PROMPT_INTENT"])
    for (const key of ["error", "error_code", "message", "code"]) assert.property(refused.json, key)
  }),
)

const htmlSandboxTest = tagged(it.live, "attack/html-sandbox")
htmlSandboxTest("content returns sandboxed HTML, and 409 before the generation", () =>
  Effect.gen(function* () {
    const { call, create, made } = yield* served
    const { id } = yield* made()
    const content = yield* call("GET", `/v1/tents/${id}/content`)
    assert.match(content.headers.get("content-type") ?? "", /^text\/html/)
    assert.match(content.headers.get("content-security-policy") ?? "", /\bsandbox\b/)
    assert.match(content.text, /chairs/i)
    const { json } = yield* create()
    const early = yield* call("GET", `/v1/tents/${json.id}/content`)
    assert.deepStrictEqual([early.status, early.json.error_code], [409, "tent_not_ready"])
    assert.strictEqual((yield* call("GET", `/v1/tents/${unknownId}/content`)).status, 404)
  }),
)

it.live("publish returns the URL, is idempotent, moves and clears the alias; unpublish removes it", () =>
  Effect.gen(function* () {
    const { call, made, publish, post } = yield* served
    const { id } = yield* made()
    const first = yield* publish(id, { custom_page_alias: "sale" })
    assert.strictEqual(first.status, 200)
    assert.match(first.json.updated_at, instant)
    assert.deepStrictEqual(first.json.publication, {
      status: "published",
      published_url: "http://default.pages.test/sale",
      requested_custom_page_alias: "sale",
      applied_custom_page_alias: "sale",
    })
    const again = yield* publish(id)
    assert.deepStrictEqual(again.json.publication, first.json.publication)
    assert.notStrictEqual(again.json.message, first.json.message)
    const cleared = yield* publish(id, { custom_page_alias: null })
    assert.deepStrictEqual(cleared.json.publication, {
      status: "published",
      published_url: `http://default.pages.test/t/${id}`,
    })
    const away = yield* post(`/v1/tents/${id}/unpublish`, {})
    assert.deepStrictEqual([away.status, away.json.publication], [200, { status: "unpublished" }])
    assert.strictEqual((yield* call("GET", `/v1/tents/${id}`)).json.publication.status, "unpublished")
  }),
)

it.live("publish refuses a missing page, an invalid or taken alias, an invalid body and an unknown tent", () =>
  Effect.gen(function* () {
    const { create, made, publish, post } = yield* served
    const [one, two] = [yield* made(), yield* made()]
    yield* publish(one.id, { custom_page_alias: "taken" })
    const codeOf = (id: string, json: object) =>
      Effect.map(publish(id, json), (answered) => [answered.status, answered.json.error_code])
    assert.deepStrictEqual(yield* codeOf(two.id, { custom_page_alias: "taken" }), [400, "alias_taken"])
    assert.deepStrictEqual(yield* codeOf(two.id, { custom_page_alias: "Bad" }), [400, "validation_failed"])
    assert.deepStrictEqual(yield* codeOf(two.id, { custom_page_alias: 5 }), [400, "validation_failed"])
    assert.deepStrictEqual(yield* codeOf(two.id, { remove_branding: "no" }), [400, "validation_failed"])
    assert.deepStrictEqual(yield* codeOf(two.id, { alias: "x" }), [400, "validation_failed"])
    assert.deepStrictEqual(yield* codeOf(unknownId, {}), [404, "not_found"])
    assert.strictEqual((yield* publish("nope")).status, 400)
    const { json } = yield* create()
    assert.deepStrictEqual(yield* codeOf(json.id, {}), [409, "tent_not_ready"])
    assert.strictEqual((yield* post(`/v1/tents/${two.id}/unpublish`, {})).status, 409)
  }),
)

const badCursorTest = tagged(it.live, "attack/bad-cursor")
badCursorTest("tents are paged by cursor, and an invalid cursor is 400", () =>
  Effect.gen(function* () {
    const { call, create } = yield* served
    for (const name of ["a 1", "a 2", "a 3"]) yield* create({ name })
    const first = (yield* call("GET", "/v1/tents?limit=2&search=A")).json
    assert.deepStrictEqual(Object.keys(first.tents[0]).sort(), [
      "created_at",
      "generated_by",
      "id",
      "name",
      "status",
      "updated_at",
    ])
    const second = (yield* call("GET", `/v1/tents?limit=2&search=A&cursor=${first.next_cursor}`)).json
    const names = [...first.tents, ...second.tents].map((tent: Json) => tent.name)
    assert.deepStrictEqual(names.sort(), ["a 1", "a 2", "a 3"])
    assert.strictEqual(second.next_cursor, null)
    for (const query of ["cursor=%25broken", "limit=101", "status=sleeping", "nonsense=1"]) {
      assert.strictEqual((yield* call("GET", `/v1/tents?${query}`)).status, 400, query)
    }
  }),
)

it.live("a tent can be deleted by id, alias and root; other identifiers are 404 or 400", () =>
  Effect.gen(function* () {
    const { call, made, publish } = yield* served
    const [one, two, three] = [yield* made(), yield* made(), yield* made()]
    yield* publish(two.id, { custom_page_alias: "by-name" })
    yield* publish(three.id, { custom_page_alias: "/" })
    for (const [name, id] of [
      [one.id, one.id],
      ["by-name", two.id],
      ["__index__", three.id],
    ]) {
      const { status, json } = yield* call("DELETE", `/v1/tents/${name}`)
      assert.deepStrictEqual([status, json.tent_id, typeof json.message], [200, id, "string"])
      assert.strictEqual((yield* call("DELETE", `/v1/tents/${name}`)).status, 404)
    }
    for (const [name, status] of [
      ["admin", 404],
      ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", 404],
      ["Not-An-Alias", 400],
      ["a%20b", 400],
    ] as const) {
      assert.strictEqual((yield* call("DELETE", `/v1/tents/${name}`)).status, status, name)
    }
  }),
)

it.live("the traffic of a page without views is complete, with zeros", () =>
  Effect.gen(function* () {
    const { call, made, publish } = yield* served
    const { id } = yield* made()
    yield* publish(id, { custom_page_alias: "/" })
    const { status, json } = yield* call("GET", "/v1/analytics/tent?tentIdOrAlias=%2F&daysBack=3")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual([json.tent_id, json.visits, json.pageviews, json.date_range.days], [id, 0, 0, 3])
    assert.strictEqual(json.daily_pageviews.length, 3)
    const groups = ["by_country", "by_device", "by_browser", "by_os", "by_referrer", "recent_pageviews"]
    for (const group of groups) assert.deepStrictEqual(json[group], [])
    const whole = (yield* call("GET", "/v1/analytics/workspace?daysBack=")).json
    assert.deepStrictEqual([whole.date_range.days, whole.top_tents, "tent_id" in whole], [7, [], false])
    for (const [query, expected] of [
      ["", 400],
      ["tentIdOrAlias=", 400],
      ["tentIdOrAlias=no-such-alias", 404],
      [`tentIdOrAlias=${unknownId}`, 404],
    ] as const) {
      assert.strictEqual((yield* call("GET", `/v1/analytics/tent?${query}`)).status, expected, query)
    }
  }),
)
