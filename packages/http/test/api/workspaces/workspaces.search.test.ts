// Tests of search by name.
import { handlers } from "@tentpole/http/Handlers"
import { Api } from "@tentpole/http/Api"
import { tagged } from "@tentpole/core/contract"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { tenants } from "../../attacks/AttackFixture.ts"
import { type Json, serving, world } from "../../fixtures/World.ts"

const foreignTest = tagged(it.live, "attack/foreign-id")

it.live("search finds lists, emails, pages and contacts by name, those that begin with the text first", () =>
  Effect.gen(function* () {
    const { call } = yield* serving(Api, handlers)
    const made = (path: string, json: object) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
    const list = yield* made("/v1/contact-lists", { name: "The spring sale", kind: "static" })
    const email = yield* made("/v1/emails", { name: "Spring sale", html: "<p>Hi</p>" })
    const contact = { email: "ann@example.org", first_name: "Springer", last_name: "Lee" }
    const { items } = yield* made("/v1/contacts", { items: [contact] })
    const { json, status } = yield* call("GET", "/v1/search?q=%20SPRING")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(json, {
      results: [
        { type: "contact", id: items[0].contact_id, name: "Springer Lee", detail: "ann@example.org" },
        { type: "email", id: email.email_id, name: "Spring sale", detail: "draft" },
        { type: "list", id: list.list_id, name: "The spring sale", detail: "static" },
      ],
    })
    const two = yield* call("GET", "/v1/search?q=spring&limit=2")
    assert.deepStrictEqual(two.json.results, json.results.slice(0, 2))
    assert.deepStrictEqual((yield* call("GET", "/v1/search?q=%20%20")).json, { results: [] })
  }),
)

it.live("search has at most 5 results of a type, and 20 together", () =>
  Effect.gen(function* () {
    const { call } = yield* serving(Api, handlers)
    for (let nth = 0; nth < 7; nth++) {
      for (const [path, body] of [
        ["/v1/contact-lists", { kind: "static" }],
        ["/v1/emails", { html: "<p>Hi</p>" }],
        ["/v1/email-blasts", {}],
        ["/v1/email-flows", {}],
        ["/v1/email-templates", { html: "<p>Hi</p>" }],
      ] as const) {
        yield* call("POST", path, { json: { name: `Sale ${nth}`, ...body } })
      }
    }
    const { results } = (yield* call("GET", "/v1/search?q=sale")).json
    const counts = Map.groupBy(results, ({ type }: Json) => type)
    assert.deepStrictEqual(
      [...counts].map(([type, its]) => [type, its.length]),
      [
        ["list", 5],
        ["email", 5],
        ["blast", 5],
        ["flow", 5],
      ],
    )
    assert.deepStrictEqual(
      results.slice(0, 5).map(({ name }: Json) => name),
      ["Sale 0", "Sale 1", "Sale 2", "Sale 3", "Sale 4"],
    )
  }),
)

foreignTest("search finds nothing of another workspace, and refuses other parameters", () =>
  Effect.gen(function* () {
    const { tenant } = yield* tenants(world)
    const [ours, theirs] = [yield* tenant("ours"), yield* tenant("theirs")]
    yield* ours.call("POST", "/v1/contacts", { json: { items: [{ email: "ann@example.org" }] } })
    yield* ours.call("POST", "/v1/contact-lists", { json: { name: "Ann's", kind: "static" } })
    const results = (caller: typeof ours) =>
      Effect.map(caller.call("GET", "/v1/search?q=ann"), ({ json }) => json.results.length)
    assert.deepStrictEqual([yield* results(ours), yield* results(theirs)], [2, 0])
    for (const query of ["", "q=", "limit=5", "q=a&limit=0", "q=a&limit=21", "q=a&page=2", `q=${"x".repeat(256)}`]) {
      assert.strictEqual((yield* ours.call("GET", `/v1/search?${query}`)).status, 400, query)
    }
    const anonymous = yield* ours.call("GET", "/v1/search?q=ann", { headers: { authorization: "" } })
    assert.strictEqual(anonymous.status, 401)
  }).pipe(Effect.scoped),
)
