// Tests of the contact list endpoints.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, serving, paths } from "../../fixtures/World.ts"

const L = "/v1/contact-lists"
const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const served = Effect.map(serving(Api, handlers), ({ call }) => {
  const get = (path: string) => Effect.map(call("GET", path), (answered) => answered.json)
  const make = (json: object) => call("POST", L, { json })
  const people = (...items: ReadonlyArray<object>) =>
    Effect.map(
      call("POST", "/v1/contacts", {
        json: { items: items.map((item, index) => ({ email: `p${index}@example.com`, ...item })) },
      }),
      (answered): ReadonlyArray<string> => answered.json.items.map((item: Json) => item.contact_id),
    )
  const code = (answered: { readonly status: number; readonly json: Json }) => [
    answered.status,
    answered.json.error_code,
  ]
  return { call, get, make, people, code }
})

const leaf = (field: string, operator: string, value?: unknown) => ({
  kind: "condition",
  source: "contact",
  field,
  operator,
  value,
})
const all = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", conditions })

it.live("a static list is returned completely and can be read", () =>
  Effect.gen(function* () {
    const { make, get, people } = yield* served
    const [one = "", two = ""] = yield* people({}, {})
    const made = yield* make({
      name: "Zürich & Friends",
      kind: "static",
      description: "d",
      contact_ids: [one, two, one],
    })
    assert.strictEqual(made.status, 201)
    const { list_id, created_at, updated_at, ...rest } = made.json
    assert.deepStrictEqual(rest, {
      name: "Zürich & Friends",
      slug: "zurich-friends",
      description: "d",
      kind: "static",
      rules: null,
      rule_issues: [],
      member_count: 2,
      owner_campaign_id: null,
    })
    assert.match(created_at, instant)
    assert.strictEqual(updated_at, created_at)
    assert.deepStrictEqual(yield* get(`${L}/${list_id}`), made.json)
  }).pipe(Effect.scoped),
)

it.live("a dynamic list returns canonical rules and contains the matching contacts", () =>
  Effect.gen(function* () {
    const { make, get, people } = yield* served
    const [one, two] = yield* people({ city: "ZU\u0308RICH", service_score: 5 }, { city: "Zürich" }, { city: "Bern" })
    const made = yield* make({ name: "D", kind: "dynamic", rules: leaf("city", "is", "zürich") })
    assert.deepStrictEqual(made.json.rules, {
      kind: "group",
      operator: "and",
      conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: "zürich" }],
    })
    assert.strictEqual(made.json.member_count, null)
    const { contacts, pagination } = yield* get(`${L}/${made.json.list_id}/contacts?sort=normalized_email&order=asc`)
    assert.deepStrictEqual(
      contacts.map((contact: Json) => contact.contact_id),
      [one, two],
    )
    assert.deepStrictEqual(pagination, { page: 1, limit: 25, total: 2, totalPages: 1 })
    assert.strictEqual(contacts[0].member_added_at, null)
    assert.strictEqual(contacts[0].custom_fields, undefined)
    const count = yield* get(`${L}/${made.json.list_id}/member-count`)
    assert.deepStrictEqual([count.list_id, count.kind, count.member_count], [made.json.list_id, "dynamic", 2])
    assert.match(count.counted_at, instant)
    const none = yield* make({ name: "none", kind: "dynamic", rules: null })
    assert.strictEqual((yield* get(`${L}/${none.json.list_id}/member-count`)).member_count, 0)
  }).pipe(Effect.scoped),
)

it.live("all issues of rules are reported with their paths", () =>
  Effect.gen(function* () {
    const { make, code } = yield* served
    const rules = all(
      leaf("nope", "equals", "x"),
      leaf("serviceScore", "gt", "5"),
      all({ ...leaf("city", "is_empty"), extra: 1 }),
      { kind: "condition", source: "email_step", nodeId: "a", metric: "opened", operator: "has_activity" },
      { kind: "condition", source: "list_membership", listId: unknown, operator: "member_of" },
      { kind: "condition", source: "custom_field", fieldDefinitionId: unknown, operator: "is_empty" },
    )
    const answered = yield* make({ name: "x", kind: "dynamic", rules })
    assert.deepStrictEqual(code(answered), [400, "validation_failed"])
    assert.deepStrictEqual(paths(answered), [
      "rules.conditions.0.field",
      "rules.conditions.1.value",
      "rules.conditions.2.conditions.0.extra",
      "rules.conditions.3.source",
      "rules.conditions.4.listId",
      "rules.conditions.5.fieldDefinitionId",
    ])
    assert.deepStrictEqual(paths(yield* make({ name: "x", kind: "dynamic", rules: 5 })), ["rules"])
  }).pipe(Effect.scoped),
)

it.live("all issues of a new list are reported with their paths", () =>
  Effect.gen(function* () {
    const { call, make, people, code } = yield* served
    const [id] = yield* people({})
    const ids = Array.from({ length: 501 }, () => id)
    for (const [json, path] of [
      [{ kind: "static" }, "name"],
      [{ name: "x" }, "kind"],
      [{ name: "", kind: "static" }, "name"],
      [{ name: " \u3000", kind: "static" }, "name"],
      [{ name: "n".repeat(256), kind: "static" }, "name"],
      [{ name: "x", kind: "system" }, "kind"],
      [{ name: "x", kind: "static", description: "d".repeat(1001) }, "description"],
      [{ name: "x", kind: "static", contact_ids: ["nope"] }, "contact_ids.0"],
      [{ name: "x", kind: "static", contact_ids: ids }, "contact_ids"],
      [{ name: "x", kind: "static", list_id: unknown }, "list_id"],
      [{ name: "x", kind: "static", rules: all(leaf("city", "is_empty")) }, "rules"],
      [{ name: "x", kind: "dynamic", contact_ids: [] }, "contact_ids"],
      [{ name: "x", kind: "dynamic", rules: all() }, "rules.conditions"],
    ] as const) {
      const answered = yield* make(json)
      assert.deepStrictEqual(code(answered), [400, "validation_failed"], JSON.stringify(json).slice(0, 80))
      assert.deepStrictEqual(paths(answered), [path])
    }
    const missing = yield* make({ name: "none", kind: "static", contact_ids: [id, unknown] })
    assert.deepStrictEqual([...code(missing), ...paths(missing)], [404, "not_found", "contact_ids.1"])
    assert.strictEqual((yield* make({ name: "none", kind: "static", contact_ids: ids.slice(1) })).status, 201)
    for (const name of ["NONE", "all contacts"]) {
      const refused = yield* make({ name, kind: "dynamic" })
      assert.deepStrictEqual(code(refused), [409, "contact_list_name_exists"])
      const existing = yield* call("GET", `/v1/contact-lists/${refused.json.details.existing_id}`)
      assert.strictEqual(existing.json.name.toLowerCase(), name.toLowerCase())
    }
  }).pipe(Effect.scoped),
)

it.live("members can be added and removed, each counted once", () =>
  Effect.gen(function* () {
    const { call, make, get, people, code } = yield* served
    const [one = "", two = ""] = yield* people({}, {})
    const { list_id } = (yield* make({ name: "M", kind: "static", contact_ids: [one] })).json
    const at = `${L}/${list_id}/contacts`
    const added = yield* call("POST", at, { json: { contact_ids: [one, two, two, unknown] } })
    assert.deepStrictEqual(
      [added.status, added.json],
      [200, { list_id, added_count: 1, unchanged_count: 1, not_found_ids: [unknown], member_count: 2 }],
    )
    assert.match((yield* get(at)).contacts[0].member_added_at, instant)
    const removed = yield* call("DELETE", at, { json: { contact_ids: [one, one, unknown] } })
    assert.deepStrictEqual(
      [removed.status, removed.json],
      [200, { list_id, removed_count: 1, unchanged_count: 0, not_found_ids: [unknown], member_count: 1 }],
    )
    for (const method of ["POST", "DELETE"]) {
      for (const [json, path] of [
        [{}, "contact_ids"],
        [{ contact_ids: [] }, "contact_ids"],
        [{ contact_ids: ["x"] }, "contact_ids.0"],
        [{ contact_ids: [one], bogus: 1 }, "bogus"],
      ] as const) {
        const bad = yield* call(method, at, { json })
        assert.deepStrictEqual([...code(bad), ...paths(bad)], [400, "validation_failed", path])
      }
      const body = { json: { contact_ids: [one] } }
      const dynamic = (yield* make({ name: method, kind: "dynamic" })).json.list_id
      assert.deepStrictEqual(code(yield* call(method, `${L}/${dynamic}/contacts`, body)), [400, "list_not_static"])
      const system = (yield* get(`${L}?kind=system`)).lists[0].list_id
      assert.deepStrictEqual(code(yield* call(method, `${L}/${system}/contacts`, body)), [403, "system_list_protected"])
      assert.deepStrictEqual(code(yield* call(method, `${L}/${unknown}/contacts`, body)), [404, "not_found"])
      assert.deepStrictEqual(code(yield* call(method, `${L}/nope/contacts`, body)), [400, "invalid_id"])
    }
  }).pipe(Effect.scoped),
)

it.live("lists and members can be paged, searched and filtered; invalid parameters are reported", () =>
  Effect.gen(function* () {
    const { call, make, get, people, code } = yield* served
    const [ann, bo] = yield* people({ first_name: "Ännchen", unsubscribed: true }, { first_name: "Bo" })
    const { list_id } = (yield* make({ name: "Zebra 1", kind: "static", contact_ids: [ann, bo] })).json
    yield* make({ name: "Zebra 2", kind: "dynamic" })
    const byDefault = Effect.map(get(`${L}/${list_id}/contacts`), ({ contacts }) =>
      contacts.map((contact: Json) => contact.contact_id),
    )
    for (const [email, first] of [
      ["p0@example.com", ann],
      ["p1@example.com", bo],
    ] as const) {
      yield* Effect.sleep("5 millis")
      yield* call("POST", "/v1/contacts/upsert", { json: { items: [{ email, job_title: "moved" }] } })
      assert.strictEqual((yield* byDefault)[0], first, "the last updated list comes first")
    }
    const found = yield* get(`${L}?search=ZEBRA&limit=1&page=2`)
    assert.deepStrictEqual(found.pagination, { page: 2, limit: 1, total: 2, totalPages: 2 })
    assert.strictEqual(found.lists.length, 1)
    const names = (yield* get(`${L}?kind=system`)).lists.map((list: Json) => [list.name, list.member_count]).sort()
    assert.deepStrictEqual(names, [
      ["All contacts", null],
      ["Unsubscribed", null],
    ])
    for (const [query, expected] of [
      ["search=%C3%A4nn", [ann]],
      ["exclude_unsubscribed=1", [bo]],
      ["only_unsubscribed=true", [ann]],
      ["only_unsubscribed=1&exclude_unsubscribed=1", [bo]],
    ] as const) {
      const { contacts } = yield* get(`${L}/${list_id}/contacts?${query}`)
      assert.deepStrictEqual(
        contacts.map((contact: Json) => contact.contact_id),
        expected,
        query,
      )
    }
    for (const path of [
      `${L}?kind=smart`,
      `${L}?limit=101`,
      `${L}?limit=`,
      `${L}?nonsense=1`,
      `${L}/${list_id}?kind=static`,
      `${L}/${list_id}/contacts?sort=nope`,
      `${L}/${list_id}/contacts?order=up`,
      `${L}/${list_id}/contacts?exclude_unsubscribed=yes`,
      `${L}/${list_id}/contacts?page=0`,
      `${L}/${list_id}/member-count?page=1`,
    ]) {
      assert.deepStrictEqual(code(yield* call("GET", path)), [400, "validation_failed"], path)
    }
    for (const rest of ["", "/contacts", "/member-count"]) {
      assert.deepStrictEqual(code(yield* call("GET", `${L}/${unknown}${rest}`)), [404, "not_found"])
      assert.deepStrictEqual(code(yield* call("GET", `${L}/nope${rest}`)), [400, "invalid_id"])
    }
  }).pipe(Effect.scoped),
)

it.live("the OpenAPI document has recursive rule trees in requests and responses", () =>
  Effect.gen(function* () {
    const { get } = yield* served
    const description = yield* get("/openapi.json")
    const { CreateContactList, ContactList, Rule, RuleGroup, Rule_1 } = description.components.schemas
    const rule = "#/components/schemas/Rule"
    assert.deepStrictEqual(CreateContactList.properties.rules, { anyOf: [{ $ref: rule }, { type: "null" }] })
    assert.deepStrictEqual(ContactList.properties.rules.anyOf, [{ $ref: rule }, { type: "null" }])
    assert.strictEqual(Rule.anyOf.length, 6)
    assert.deepStrictEqual(RuleGroup.properties.conditions.items, { $ref: rule })
    assert.isUndefined(Rule_1)
    assert.include(JSON.stringify(Object.keys(description.paths)), "/v1/contact-lists/{listId}/contacts")
  }).pipe(Effect.scoped),
)
