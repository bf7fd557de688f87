// Tests of search, preview and explain by rules, on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Context, Effect } from "effect"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Answered, type Json, type Sent, servingOver, paths } from "../../fixtures/World.ts"

const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const served = Effect.gen(function* () {
  const { call, context } = yield* servingOver(postgresWorld, Api, handlers)
  const post = (path: string, json: object, sent: Sent = {}) => call("POST", path, { ...sent, json })
  const search = (json: object) => post("/v1/contacts/search", json)
  const preview = (json: object) => post("/v1/contact-lists/preview", json)
  const explain = (contact: string, json: object) => post(`/v1/contacts/${contact}/explain`, json)
  const people = (...items: ReadonlyArray<object>) =>
    Effect.map(
      post("/v1/contacts", { items: items.map((item, index) => ({ email: `p${index}@example.com`, ...item })) }),
      ({ json }): ReadonlyArray<string> => json.items.map((item: Json) => item.contact_id),
    )
  const list = (json: object, sent: Sent = {}) =>
    Effect.map(post("/v1/contact-lists", json, sent), (answered): string => answered.json.list_id)
  const field = (api_name: string, value_type: string, sent: Sent = {}) =>
    Effect.map(
      post("/v1/contact-fields", { items: [{ api_name, display_name: api_name, value_type }] }, sent),
      ({ json }): string => json.items[0].field_definition_id,
    )
  /** Sends requests with the key of another workspace. */
  const another = Effect.gen(function* () {
    const workspaces = Context.get(context, Workspaces)
    const { id } = yield* workspaces.create({ name: "Another" })
    const { raw } = yield* workspaces.createKey(id, { name: "key" })
    return { headers: { authorization: `Bearer ${raw}` } }
  }).pipe(Effect.orDie)
  const archive = (id: string) =>
    Effect.gen(function* () {
      const sql = Context.get(context, PgClient.PgClient)
      const first = yield* Context.get(context, WorkspaceStore).findFirst
      const workspace = WorkspaceId.make(first?.id ?? "")
      yield* fenced(sql)(
        workspace,
        sql`update contact_field set status = 'archived' where workspace_id = ${workspace} and field_definition_id = ${id}`,
      )
    })
  return { call, post, search, preview, explain, people, list, field, another, archive }
})

const code = ({ status, json }: Answered) => [status, json.error_code]
const ids = (contacts: ReadonlyArray<Json>): ReadonlyArray<string> => contacts.map(({ contact_id }) => contact_id)

const leaf = (field: string, operator: string, value?: unknown) => ({
  kind: "condition",
  source: "contact",
  field,
  operator,
  ...(value === undefined ? {} : { value }),
})
const custom = (fieldDefinitionId: string, operator: string, value?: unknown) => ({
  kind: "condition",
  source: "custom_field",
  fieldDefinitionId,
  operator,
  ...(value === undefined ? {} : { value }),
})
const did = (activityType: string, operator = "has_activity") => ({
  kind: "condition",
  source: "activity",
  activityType,
  operator,
})
const member = (listId: string, operator = "is_member") => ({
  kind: "condition",
  source: "list_membership",
  listId,
  operator,
})
const and = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", operator: "and", conditions })
const or = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", operator: "or", conditions })

/** Rules with every kind of issue, and the paths of the issues. */
const wrong = and(
  leaf("nope", "equals", "x"),
  leaf("serviceScore", "gt", "5"),
  or({ ...leaf("city", "is_empty"), extra: 1 }),
  { kind: "condition", source: "email_step", nodeId: "a", metric: "opened", operator: "has_activity" },
  member(unknown),
  custom(unknown, "is_empty"),
)
const wrongPaths = [
  "rules.conditions.0.field",
  "rules.conditions.1.value",
  "rules.conditions.2.conditions.0.extra",
  "rules.conditions.3.source",
  "rules.conditions.4.listId",
  "rules.conditions.5.fieldDefinitionId",
]

it.live("search returns matching contacts, with the matching conditions on request", () =>
  Effect.gen(function* () {
    const { call, search, people, list, field } = yield* served
    const shoe = yield* field("shoe_size", "string")
    const [ann = "", bo = "", cy = ""] = yield* people(
      { city: "ZU\u0308RICH", service_score: 5, custom_fields: { shoe_size: "42" } },
      { city: "Zürich" },
      { city: "Bern" },
    )
    const vip = yield* list({ name: "VIP", kind: "static", contact_ids: [bo, cy] })
    const rules = or(
      leaf("city", "is", "zürich"),
      and(custom(shoe, "eq", "42"), did("list_added", "did_not")),
      member(vip),
    )
    const query = { rules, sort: "normalized_email", order: "asc" }
    const { status, json } = yield* search(query)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(json.pagination, { page: 1, limit: 25, total: 3, totalPages: 1 })
    const listed = (yield* call("GET", "/v1/contacts?sort=normalized_email&order=asc")).json
    assert.deepStrictEqual(json, listed)
    const explained = (yield* search({ ...query, explain: true })).json
    assert.deepStrictEqual(
      explained.items.map((item: Json) => item.matched),
      [
        ["conditions.0", "conditions.1.conditions.0", "conditions.1.conditions.1"],
        ["conditions.0", "conditions.2"],
        ["conditions.2"],
      ],
    )
    assert.deepStrictEqual(
      explained.items.map(({ matched: _, ...item }: Json) => item),
      listed.items,
    )
    const lone = (yield* search({ rules: leaf("serviceScore", "gte", 5), explain: true })).json
    assert.deepStrictEqual(ids(lone.items), [ann])
    assert.deepStrictEqual(lone.items[0].matched, ["conditions.0"])
  }).pipe(Effect.scoped),
)

it.live("search pages, sorts and filters like the listing", () =>
  Effect.gen(function* () {
    const { call, search, people } = yield* served
    const names = ["Ann", "bo", "Cy", "Änn", null, "dee", "Bo"]
    yield* people(...names.map((first_name) => ({ first_name, city: "Bern" })))
    const rules = leaf("city", "contains", "ERN")
    for (const [body, query] of [
      [{}, ""],
      [{ limit: 3, page: 2 }, "?limit=3&page=2"],
      [{ limit: 3, page: 9 }, "?limit=3&page=9"],
      [{ limit: 100, page: 100_000_000 }, "?limit=100&page=100000000"],
      [{ sort: "first_name", order: "asc" }, "?sort=first_name&order=asc"],
      [{ sort: "first_name" }, "?sort=first_name"],
      [{ search: "ÄNN", limit: 1 }, "?search=%C3%A4nn&limit=1"],
      [{ search: "%" }, "?search=%25"],
    ] as const) {
      const expected = (yield* call("GET", `/v1/contacts${query}`)).json
      assert.deepStrictEqual((yield* search({ rules, ...body })).json, expected, query)
    }
    const none = (yield* search({ rules: leaf("city", "is", "Basel"), explain: true })).json
    assert.deepStrictEqual(none, { items: [], pagination: { page: 1, limit: 25, total: 0, totalPages: 0 } })
  }).pipe(Effect.scoped),
)

it.live("all issues of rules are reported with their paths by every endpoint", () =>
  Effect.gen(function* () {
    const { search, preview, explain, people } = yield* served
    const [ann = ""] = yield* people({})
    for (const ask of [search, preview, (json: object) => explain(ann, json)]) {
      const answered = yield* ask({ rules: wrong })
      assert.deepStrictEqual(code(answered), [400, "validation_failed"])
      assert.deepStrictEqual(paths(answered), wrongPaths)
      for (const rules of [5, null, [], "x"]) {
        const bad = yield* ask({ rules })
        assert.deepStrictEqual([...code(bad), ...paths(bad)], [400, "validation_failed", "rules"])
      }
      const missing = yield* ask({})
      assert.deepStrictEqual([...code(missing), ...paths(missing)], [400, "validation_failed", "rules"])
    }
  }).pipe(Effect.scoped),
)

it.live("other issues of the body are reported with their paths", () =>
  Effect.gen(function* () {
    const { search, preview, explain, people } = yield* served
    const [ann = ""] = yield* people({})
    const rules = leaf("city", "is_empty")
    for (const [more, path] of [
      [{ page: 0 }, "page"],
      [{ page: "1" }, "page"],
      [{ page: 1.5 }, "page"],
      [{ limit: 101 }, "limit"],
      [{ limit: 0 }, "limit"],
      [{ sort: "city" }, "sort"],
      [{ order: "up" }, "order"],
      [{ search: "" }, "search"],
      [{ search: "s".repeat(256) }, "search"],
      [{ explain: "yes" }, "explain"],
      [{ updated_after: "2026-05-01" }, "updated_after"],
    ] as const) {
      const answered = yield* search({ rules, ...more })
      assert.deepStrictEqual([...code(answered), ...paths(answered)], [400, "validation_failed", path])
    }
    const both = yield* search({ rules, page: 0, limit: 500, sort: "nope" })
    assert.deepStrictEqual([...paths(both)].sort(), ["limit", "page", "sort"])
    const paged = yield* preview({ rules, limit: 5 })
    assert.deepStrictEqual([...code(paged), ...paths(paged)], [400, "validation_failed", "limit"])
    for (const [json, path] of [
      [{ rules, list_id: unknown }, "list_id"],
      [{ list_id: "nope" }, "list_id"],
      [{ rules, explain: true }, "explain"],
    ] as const) {
      const answered = yield* explain(ann, json)
      assert.deepStrictEqual([...code(answered), ...paths(answered)], [400, "validation_failed", path])
    }
  }).pipe(Effect.scoped),
)

it.live("a preview counts all matches and returns the newest ten", () =>
  Effect.gen(function* () {
    const { call, preview, people } = yield* served
    yield* people(...Array.from({ length: 12 }, (_, index) => ({ city: index < 11 ? "Bern" : "Basel" })))
    const { status, json } = yield* preview({ rules: leaf("city", "is", "bern") })
    assert.deepStrictEqual([status, json.count, json.sample.length], [200, 11, 10])
    const newest = (yield* call("GET", "/v1/contacts?search=@example.com")).json.items
    assert.deepStrictEqual(json.sample, newest.filter((each: Json) => each.city === "Bern").slice(0, 10))
    const rules = or(leaf("city", "is", "basel"), leaf("city", "is_empty"))
    const explained = (yield* preview({ rules, explain: true })).json
    assert.deepStrictEqual([explained.count, explained.sample[0].matched], [1, ["conditions.0"]])
    assert.deepStrictEqual((yield* preview({ rules: leaf("city", "is_empty") })).json, { count: 0, sample: [] })
  }).pipe(Effect.scoped),
)

it.live("explain returns each condition with the contact's value and the result", () =>
  Effect.gen(function* () {
    const { explain, people, list, field } = yield* served
    const born = yield* field("born", "date")
    const [ann = "", bo = ""] = yield* people(
      { city: "Zürich", service_score: 5, marketing_email_subscribed: true, custom_fields: { born: "2000-02-29" } },
      {},
    )
    const vip = yield* list({ name: "VIP", kind: "static", contact_ids: [ann] })
    const window = { timeWindow: { amount: 1, unit: "days" } }
    const rules = and(
      leaf("city", "neq", "Bern"),
      or(leaf("serviceScore", "gt", 4), leaf("marketingEmailSubscribed", "false"), custom(born, "lt", "2000-03-01")),
      { ...did("list_added", "occurred"), ...window },
      member(vip, "in_list"),
      leaf("lastActivityAt", "is_blank", "dropped"),
    )
    const canonical = [
      ["conditions.0", leaf("city", "not_equals", "Bern")],
      ["conditions.1.conditions.0", leaf("serviceScore", "greater_than", 4)],
      ["conditions.1.conditions.1", leaf("marketingEmailSubscribed", "is_false")],
      ["conditions.1.conditions.2", custom(born, "less_than", "2000-03-01")],
      ["conditions.2", { ...did("list_added"), timeWindow: { amount: 1, unit: "day" } }],
      ["conditions.3", member(vip)],
      ["conditions.4", leaf("lastActivityAt", "is_empty")],
    ]
    const yes = yield* explain(ann, { rules })
    const no = yield* explain(bo, { rules })
    for (const { status, json } of [yes, no]) {
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        json.conditions.map(({ path, condition }: Json) => [path, condition]),
        canonical,
      )
    }
    const conditions = ({ json }: Answered) => json.conditions.map(({ value, held }: Json) => [value, held])
    const added = yes.json.conditions[4].value
    assert.match(added, instant)
    assert.deepStrictEqual(conditions(yes), [
      ["Zürich", true],
      [5, true],
      [true, false],
      ["2000-02-29", true],
      [added, true],
      [true, true],
      [null, true],
    ])
    assert.deepStrictEqual(conditions(no), [
      [null, true],
      [null, false],
      [null, false],
      [null, false],
      [null, false],
      [false, false],
      [null, true],
    ])
    assert.deepStrictEqual([yes.json.matches, no.json.matches], [true, false])
    const [created] = (yield* explain(ann, { rules: leaf("createdAt", "exists") })).json.conditions
    assert.match(created.value, instant)
  }).pipe(Effect.scoped),
)

it.live("explain works for lists of every kind", () =>
  Effect.gen(function* () {
    const { call, explain, people, list, field, archive } = yield* served
    const shoe = yield* field("shoe_size", "string")
    const [ann = "", bo = ""] = yield* people({ custom_fields: { shoe_size: "42" } }, { unsubscribed: true })
    const answers = (list_id: string) =>
      Effect.forEach([ann, bo], (contact) => Effect.map(explain(contact, { list_id }), ({ json }) => json))
    const plain = (matches: boolean) => ({ matches, conditions: [] })

    const vip = yield* list({ name: "VIP", kind: "static", contact_ids: [ann] })
    assert.deepStrictEqual(yield* answers(vip), [plain(true), plain(false)])

    const { lists } = (yield* call("GET", "/v1/contact-lists?kind=system")).json
    const system = (name: string): string => lists.find((each: Json) => each.name === name).list_id
    assert.deepStrictEqual(yield* answers(system("All contacts")), [plain(true), plain(true)])
    assert.deepStrictEqual(yield* answers(system("Unsubscribed")), [plain(false), plain(true)])

    assert.deepStrictEqual(yield* answers(yield* list({ name: "none", kind: "dynamic" })), [plain(false), plain(false)])

    const condition = custom(shoe, "not_equals", "42")
    const dynamic = yield* list({ name: "D", kind: "dynamic", rules: condition })
    const by = (matches: boolean, value: string | null) => ({
      matches,
      conditions: [{ path: "conditions.0", condition, value, held: matches }],
    })
    assert.deepStrictEqual(yield* answers(dynamic), [by(false, "42"), by(true, null)])

    const blast = (yield* call("POST", "/v1/email-blasts", { json: { name: "b" } })).json.blast_id
    const audience = { source: "inline", kind: "dynamic", rules: leaf("unsubscribed", "is_true") }
    const inline = (yield* call("PUT", `/v1/email-blasts/${blast}/audience`, { json: audience })).json
    assert.deepStrictEqual(
      (yield* answers(inline.audience.list_id)).map(({ matches }) => matches),
      [false, true],
    )

    yield* archive(shoe)
    assert.deepStrictEqual(yield* answers(dynamic), [by(false, null), by(false, null)])
  }).pipe(Effect.scoped),
)

it.live("unknown ids and ids of another workspace get the same refusal", () =>
  Effect.gen(function* () {
    const { post, search, preview, explain, people, list, field, another } = yield* served
    const sent = yield* another
    const [ann = ""] = yield* people({ city: "Bern" })
    const theirs = (yield* post("/v1/contacts", { items: [{ email: "ann@example.com", city: "Bern" }] }, sent)).json
      .items[0].contact_id
    const theirList = yield* list({ name: "T", kind: "static", contact_ids: [theirs] }, sent)
    const theirField = yield* field("theirs", "string", sent)
    const rules = leaf("city", "is", "Bern")

    const said = (answered: Answered) => [...code(answered), answered.json.message, answered.json.details.issues]
    const unknownContact = yield* explain(unknown, { rules })
    assert.deepStrictEqual(code(unknownContact), [404, "not_found"])
    assert.deepStrictEqual(said(yield* explain(theirs, { rules })), said(unknownContact))
    const noList = yield* explain(ann, { list_id: unknown })
    assert.deepStrictEqual([...code(noList), ...paths(noList)], [404, "not_found", "list_id"])
    assert.deepStrictEqual(said(yield* explain(ann, { list_id: theirList })), said(noList))
    assert.deepStrictEqual(code(yield* explain("nope", { rules })), [400, "invalid_id"])

    for (const ask of [search, preview, (json: object) => explain(ann, json)]) {
      const answered = yield* ask({ rules: or(member(theirList), custom(theirField, "is_empty")) })
      assert.deepStrictEqual(code(answered), [400, "validation_failed"])
      assert.deepStrictEqual(paths(answered), ["rules.conditions.0.listId", "rules.conditions.1.fieldDefinitionId"])
    }
    const all = leaf("createdAt", "exists")
    assert.deepStrictEqual(ids((yield* search({ rules: all })).json.items), [ann])
    assert.strictEqual((yield* preview({ rules: all })).json.count, 1)
    assert.deepStrictEqual(ids((yield* post("/v1/contacts/search", { rules: all }, sent)).json.items), [theirs])
  }).pipe(Effect.scoped),
)

it.live("the OpenAPI document has the three operations with one rule schema", () =>
  Effect.gen(function* () {
    const { call } = yield* served
    const { paths, components } = (yield* call("GET", "/openapi.json")).json
    for (const path of ["/v1/contacts/search", "/v1/contact-lists/preview", "/v1/contacts/{contact_id}/explain"]) {
      assert.containsAllKeys(paths[path].post.responses, ["200", "400"], path)
    }
    const { SearchContacts, FoundContact, ExplainedCondition, Rule_1 } = components.schemas
    assert.deepStrictEqual(SearchContacts.properties.rules, { allOf: [{ $ref: "#/components/schemas/Rule" }] })
    assert.deepStrictEqual(SearchContacts.required, ["rules"])
    assert.notProperty(FoundContact.properties, "custom_fields")
    assert.strictEqual(ExplainedCondition.properties.condition.anyOf.length, 5)
    assert.isUndefined(Rule_1)
  }).pipe(Effect.scoped),
)
