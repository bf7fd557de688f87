// Tests of updates and deletions of contact lists.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answered, type Json, serving } from "../../fixtures/World.ts"

const L = "/v1/contact-lists"
const B = "/v1/email-blasts"
const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const served = Effect.map(serving(Api, handlers), ({ call }) => {
  const get = (path: string) => Effect.map(call("GET", path), ({ json }) => json)
  const make = (json: object) => Effect.map(call("POST", L, { json }), (answered): Json => answered.json)
  const edit = (list: Json, json: unknown) => call("PATCH", `${L}/${list.list_id}`, { json })
  const remove = (list: Json) => call("DELETE", `${L}/${list.list_id}`)
  const person = (item: object) =>
    Effect.map(
      call("POST", "/v1/contacts", { json: { items: [item] } }),
      ({ json }): string => json.items[0].contact_id,
    )
  /** A ready draft to this list. */
  const blast = Effect.fnUntraced(function* (name: string, list: Json) {
    const { blast_id } = (yield* call("POST", B, { json: { name } })).json
    yield* call("PUT", `${B}/${blast_id}/audience`, { json: { source: "existing", list_id: list.list_id } })
    const written = { source: "inline", subject: "Hi", html: "<p>Hi</p>" }
    const { email_id } = (yield* call("PUT", `${B}/${blast_id}/email`, { json: written })).json
    yield* call("POST", `/v1/emails/${email_id}/approve`, { json: {} })
    return String(blast_id)
  })
  return { call, get, make, edit, remove, person, blast }
})

const code = ({ status, json }: Answered) => [status, json.error_code]
const issues = ({ json }: Answered): ReadonlyArray<readonly [string, string]> =>
  json.details.issues.map(({ path, message }: Json) => [path, message])

const cityIs = (value: string) => ({ kind: "condition", source: "contact", field: "city", operator: "is", value })
const notOn = (list: Json) => ({
  kind: "condition",
  source: "list_membership",
  listId: list.list_id,
  operator: "not_in_list",
})
const all = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", conditions })

it.live("an update returns the whole list and is stored", () =>
  Effect.gen(function* () {
    const { make, edit, get, person } = yield* served
    yield* person({ email: "ann@example.com", city: "Bern" })
    const made = yield* make({ name: "Spring", kind: "dynamic", description: "d", rules: cityIs("Zürich") })
    const renamed = yield* edit(made, { name: "Über uns" })
    const { updated_at } = renamed.json
    assert.deepStrictEqual(
      [renamed.status, renamed.json],
      [200, { ...made, name: "Über uns", slug: "uber-uns", updated_at }],
    )
    const ruled = yield* edit(made, { rules: cityIs("BERN"), description: null })
    assert.deepInclude(ruled.json, {
      name: "Über uns",
      description: null,
      rules: {
        kind: "group",
        operator: "and",
        conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: "BERN" }],
      },
      rule_issues: [],
    })
    assert.deepStrictEqual(yield* get(`${L}/${made.list_id}`), ruled.json)
    assert.strictEqual((yield* get(`${L}/${made.list_id}/member-count`)).member_count, 1)
    assert.deepStrictEqual((yield* edit(made, { rules: ruled.json.rules, description: "" })).json, ruled.json)
    assert.strictEqual((yield* edit(made, { rules: null })).json.rules, null)
    assert.strictEqual((yield* get(`${L}/${made.list_id}/member-count`)).member_count, 0)
    const fixed = yield* make({ name: "Static", kind: "static" })
    assert.deepInclude((yield* edit(fixed, { description: "e" })).json, { description: "e", member_count: 0 })
  }).pipe(Effect.scoped),
)

it.live("an invalid update reports all issues with their paths and changes nothing", () =>
  Effect.gen(function* () {
    const { call, make, edit, get } = yield* served
    const fixed = yield* make({ name: "Static", kind: "static" })
    const dynamic = yield* make({ name: "Dynamic", kind: "dynamic", rules: cityIs("Bern") })
    const length = "must have 1 to 255 characters, and not only white space"
    for (const [list, json, ...reported] of [
      [fixed, {}, ["", "must have at least one of name, description, rules"]],
      [fixed, { kind: "static" }, ["kind", "can't change: create another list of that kind"]],
      [fixed, { name: "x", slug: "x" }, ["slug", "is read-only: it is derived from the name"]],
      [
        fixed,
        { contact_ids: [] },
        ["contact_ids", "can only be set on creation: use /v1/contact-lists/{listId}/contacts"],
      ],
      [fixed, { member_count: 5, list_id: unknown }, ["list_id", "is read-only"], ["member_count", "is read-only"]],
      [fixed, { bogus: 1 }, ["bogus", "is not a field of this call"]],
      [fixed, { name: " \u3000" }, ["name", length]],
      [fixed, { name: "n".repeat(256) }, ["name", length]],
      [fixed, { description: "d".repeat(1001) }, ["description", "must have at most 1000 characters"]],
      [fixed, { rules: null }, ["rules", "are for dynamic lists; a static list has the contacts added to it"]],
      [
        dynamic,
        { name: "x", rules: all(notOn(dynamic), { kind: "condition", source: "email_step" }) },
        ["rules.conditions.0.listId", "must be the id of a static list of this workspace"],
        ["rules.conditions.1.source", "email_step is only for the condition steps of a flow"],
      ],
    ] as const) {
      const answered = yield* edit(list, json)
      assert.deepStrictEqual(code(answered), [400, "validation_failed"], JSON.stringify(json).slice(0, 80))
      assert.deepStrictEqual([...issues(answered)].sort(), reported)
    }
    const four = yield* edit(fixed, { name: null, description: 5, bogus: 1, kind: "static" })
    assert.sameMembers(
      issues(four).map(([path]) => path),
      ["name", "description", "kind", "bogus"],
    )
    for (const name of ["dynamic", "ALL contacts"]) {
      assert.deepStrictEqual(code(yield* edit(fixed, { name })), [409, "contact_list_name_exists"])
    }
    for (const list of (yield* get(`${L}?kind=system`)).lists) {
      for (const json of [{ name: "Mine" }, { rules: null }]) {
        assert.deepStrictEqual(code(yield* edit(list, json)), [403, "system_list_protected"])
      }
      assert.deepStrictEqual(code(yield* call("DELETE", `${L}/${list.list_id}`)), [403, "system_list_protected"])
    }
    for (const [id, ...answer] of [
      [unknown, 404, "not_found"],
      ["nope", 400, "invalid_id"],
    ] as const) {
      assert.deepStrictEqual(code(yield* call("PATCH", `${L}/${id}`, { json: { name: "x" } })), answer)
      assert.deepStrictEqual(code(yield* call("DELETE", `${L}/${id}`)), answer)
    }
    for (const list of [fixed, dynamic]) assert.deepStrictEqual(yield* get(`${L}/${list.list_id}`), list)
  }).pipe(Effect.scoped),
)

it.live("deleting a list keeps its contacts, and drafts lose their audience", () =>
  Effect.gen(function* () {
    const { call, make, remove, get, person, blast } = yield* served
    const ann = yield* person({ email: "ann@example.com" })
    const list = yield* make({ name: "Gone", kind: "static", contact_ids: [ann] })
    const id = yield* blast("News", list)
    const removed = yield* remove(list)
    assert.deepStrictEqual([removed.status, removed.text], [204, ""])
    assert.deepStrictEqual(code(yield* remove(list)), [404, "not_found"])
    assert.strictEqual((yield* call("GET", `/v1/contacts/${ann}`)).status, 200)
    const draft = yield* get(`${B}/${id}`)
    assert.deepStrictEqual([draft.audience, draft.approval_readiness.missing], [null, ["audience", "schedule"]])
    assert.deepStrictEqual(code(yield* call("POST", `${B}/${id}/send-now`)), [400, "campaign_not_ready"])
    assert.strictEqual((yield* make({ name: "GONE", kind: "dynamic" })).slug, "gone")
  }).pipe(Effect.scoped),
)

it.live("a list in use can't be deleted, and the refusal lists its users", () =>
  Effect.gen(function* () {
    const { call, make, edit, remove, blast } = yield* served
    const list = yield* make({ name: "Used", kind: "static" })
    const user = yield* make({ name: "Not on it", kind: "dynamic", rules: all(cityIs("Bern"), all(notOn(list))) })
    const id = yield* blast("News", list)
    yield* call("POST", `${B}/${id}/send-now`)
    const refused = yield* remove(list)
    assert.deepStrictEqual(code(refused), [409, "contact_list_in_use"])
    assert.deepStrictEqual(refused.json.used_by, [
      { type: "blast", id, name: "News" },
      { type: "contact_list", id: user.list_id, name: "Not on it" },
    ])
    assert.strictEqual(refused.json.used_by_count, 2)
    assert.include(refused.json.message, `the email blast "News", the rules of the contact list "Not on it"`)
    yield* call("POST", `${B}/${id}/pause`)
    assert.strictEqual((yield* remove(list)).json.used_by_count, 2)
    yield* call("POST", `${B}/${id}/cancel`)
    assert.strictEqual((yield* remove(list)).json.used_by_count, 1)
    yield* edit(user, { rules: null })
    assert.strictEqual((yield* remove(list)).status, 204)
  }).pipe(Effect.scoped),
)

it.live("the OpenAPI document describes the update and the deletion of lists", () =>
  Effect.gen(function* () {
    const { get } = yield* served
    const { components, paths } = yield* get("/openapi.json")
    const { properties, minProperties } = components.schemas.EditContactList
    assert.strictEqual(minProperties, 1)
    assert.deepStrictEqual(properties.kind, {
      readOnly: true,
      description: "can't change: create another list of that kind",
    })
    assert.include(JSON.stringify(properties.rules), "#/components/schemas/Rule")
    const { patch, delete: deletion } = paths["/v1/contact-lists/{listId}"]
    assert.includeMembers(Object.keys(patch.responses), ["200", "400", "403", "404", "409"])
    assert.includeMembers(Object.keys(deletion.responses), ["204", "403", "404", "409"])
    assert.include(deletion.description, "no `list_removed`")
    assert.containsAllKeys(components.schemas.Error_contact_list_in_use.properties, ["used_by", "used_by_count"])
  }).pipe(Effect.scoped),
)
