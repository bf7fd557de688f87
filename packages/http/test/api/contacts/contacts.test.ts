// Tests of the contact and custom field endpoints.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, serving, paths } from "../../fixtures/World.ts"

const served = Effect.map(serving(Api, handlers), ({ call }) => {
  const post = (path: string, json: unknown) => call("POST", path, { json })
  const create = (...items: ReadonlyArray<unknown>) => post("/v1/contacts", { items })
  const upsert = (...items: ReadonlyArray<unknown>) => post("/v1/contacts/upsert", { items })
  const field = (json: object = {}) =>
    Effect.map(
      post("/v1/contact-fields", { display_name: "Shoe size", api_name: "shoe_size", value_type: "string", ...json }),
      (answered) => answered.json.items[0],
    )
  const made = (item: object) => Effect.map(create(item), (answered) => answered.json.items[0].contact)
  return { call, post, create, upsert, field, made }
})

const codes = (answered: { readonly json: Json }): ReadonlyArray<string> =>
  answered.json.items.map((item: Json) => item.error_code ?? item.status)

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

it.live("a batch returns counts and a result for each item, in order", () =>
  Effect.gen(function* () {
    const { create, field, call } = yield* served
    yield* field()
    const both = { email: " Ann@Example.com ", phone: "(415) 200-0001", custom_fields: { shoe_size: "42" } }
    const answered = yield* create(
      { ...both, client_item_id: "row-1" },
      5,
      null,
      "x",
      [],
      { email: "bob@example.com", nickname: "B" },
      { email: "ann@EXAMPLE.com", client_item_id: "again" },
      { email: "nope" },
      { phone: "12" },
      { first_name: "Ann" },
      { email: "carl@example.com", marketing_email_invalid: false },
      { email: "carl@example.com", custom_fields: { unheard_of: 1 } },
      { email: "carl@example.com", custom_fields: { shoe_size: 42 } },
      { phone: "+14152000002" },
    )
    assert.strictEqual(answered.status, 201)
    const { status, created_count, rejected_count, items } = answered.json
    assert.deepStrictEqual([status, created_count, rejected_count], ["completed", 2, 12])
    assert.deepStrictEqual(codes(answered), [
      "created",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "conflict",
      "invalid_email",
      "invalid_phone",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "unknown_custom_field",
      "invalid_custom_field_value",
      "created",
    ])
    assert.deepStrictEqual(
      items.map((item: Json) => item.index),
      Array.from(items, (_, index) => index),
    )
    const [first] = items
    assert.deepStrictEqual([first.client_item_id, first.contact_id], ["row-1", first.contact.contact_id])
    assert.deepStrictEqual([items[6].client_item_id, items[1].client_item_id], ["again", null])
    assert.deepStrictEqual(items[6].existing_contact, {
      contact_id: first.contact_id,
      display_name: null,
      email: "Ann@Example.com",
      phone: "+14152000001",
    })
    assert.isTrue(items[6].merge)
    assert.doesNotHaveAnyKeys(items[1], ["existing_contact", "merge"])
    assert.include(items[10].message, "read-only")
    const found = yield* call("GET", `/v1/contacts/${first.contact_id}`)
    assert.deepStrictEqual([found.status, found.json], [200, first.contact])
  }).pipe(Effect.scoped),
)

it.live("a contact has all standard fields, null if unset", () =>
  Effect.gen(function* () {
    const { made } = yield* served
    const contact = yield* made({ email: "ann@example.com" })
    assert.sameMembers(Object.keys(contact), [
      "contact_id",
      ...standardFields.map((field) => field.apiName),
      "custom_fields",
    ])
    const { email, unsubscribed, marketing_email_invalid, original_source, custom_fields, ...rest } = contact
    assert.deepStrictEqual(
      { email, unsubscribed, marketing_email_invalid, original_source, custom_fields },
      {
        email: "ann@example.com",
        unsubscribed: false,
        marketing_email_invalid: false,
        original_source: "api",
        custom_fields: {},
      },
    )
    const { contact_id, created_at, updated_at, ...unset } = rest
    assert.isString(contact_id)
    assert.match(created_at, instant)
    assert.match(updated_at, instant)
    assert.deepStrictEqual([...new Set(Object.values(unset))], [null])
  }).pipe(Effect.scoped),
)

it.live("an upsert matches by email, or by phone if there is no email", () =>
  Effect.gen(function* () {
    const { upsert, field, call } = yield* served
    yield* field({ value_type: "number" })
    const first = yield* upsert(
      { email: "ann@example.com", phone: "+14152000001", first_name: "Ann", custom_fields: { shoe_size: 0.1 } },
      { email: "ANN@example.com", city: "Bern" },
      { phone: "415-200-0001", city: null },
      { email: "new@example.com", phone: "+14152000001" },
    )
    assert.deepStrictEqual([first.status, codes(first)], [200, ["created", "updated", "updated", "conflict"]])
    const { created_count, updated_count, rejected_count, items } = first.json
    assert.deepStrictEqual([created_count, updated_count, rejected_count], [1, 2, 1])
    assert.deepStrictEqual(
      items.slice(0, 3).map((item: Json) => [item.contact_id === items[0].contact_id, item.contact.city]),
      [
        [true, null],
        [true, "Bern"],
        [true, null],
      ],
    )
    const found = (yield* call("GET", `/v1/contacts/${items[0].contact_id}`)).json
    assert.deepStrictEqual(
      [found.email, found.first_name, found.custom_fields],
      ["ann@example.com", "Ann", { shoe_size: 0.1 }],
    )
  }).pipe(Effect.scoped),
)

it.live("a lookup returns at most one contact and can't be combined with other parameters", () =>
  Effect.gen(function* () {
    const { call, made, field } = yield* served
    yield* field()
    const contact = yield* made({ email: "anna@bücher.example", phone: "+14152000001" })
    const get = (query: string) => call("GET", `/v1/contacts?${query}`)
    for (const query of [
      "email=ANNA%40xn--bcher-kva.example",
      "email=%20Anna%40B%C3%BCcher.example",
      "phone=415.200.0001",
      "phone=%2B14152000001",
    ]) {
      assert.deepStrictEqual((yield* get(query)).json, { items: [contact] }, query)
    }
    for (const query of ["email=ann%40x.test", "email=a%40%40b", "phone=call%20me"]) {
      const none = yield* get(query)
      assert.deepStrictEqual([none.status, none.json], [200, { items: [] }], query)
    }
    for (const [query, where] of [
      ["email=a%40x.test&phone=1", "phone"],
      ["email=a%40x.test&page=1", "page"],
      ["updated_after=2026-01-01T00:00:00.000Z&phone=1", "updated_after"],
    ] as const) {
      const refused = yield* get(query)
      assert.deepStrictEqual(
        [refused.status, refused.json.error_code, paths(refused)],
        [400, "validation_failed", [where]],
      )
    }
  }).pipe(Effect.scoped),
)

it.live("contacts can be sorted, searched and paged, without custom fields", () =>
  Effect.gen(function* () {
    const { call, create, field } = yield* served
    yield* field()
    yield* create(
      { email: "b@example.com", first_name: "b", custom_fields: { shoe_size: "1" } },
      { email: "c@example.com" },
      { email: "a@example.com", first_name: "A", company: "100%" },
    )
    const get = (query: string) => call("GET", `/v1/contacts?${query}`)
    const emails = (query: string) =>
      Effect.map(get(query), ({ json, text }) =>
        (json.items ?? assert.fail(text)).map((item: Json) => item.email.slice(0, 1)).join(""),
      )
    assert.strictEqual(yield* emails("sort=first_name&order=asc"), "abc")
    assert.strictEqual(yield* emails("sort=first_name&order=desc"), "bac")
    assert.strictEqual(yield* emails("sort=normalized_email"), "cba")
    assert.strictEqual(yield* emails("search=0%25"), "a")
    const page = yield* get("limit=2&page=2&sort=normalized_email&order=asc")
    assert.deepStrictEqual(page.json.pagination, { page: 2, limit: 2, total: 3, totalPages: 2 })
    assert.notProperty(page.json.items[0], "custom_fields")
    const [{ updated_at }] = page.json.items
    assert.strictEqual(yield* emails(`updated_after=${encodeURIComponent(updated_at)}`), "")
    assert.strictEqual(yield* emails("updated_after=2020-01-01T00:00:00%2B02:00&sort=normalized_email"), "cba")
    for (const query of [
      "limit=0",
      "limit=101",
      "page=x",
      "sort=email",
      "order=up",
      "updated_after=yesterday",
      "x=1",
    ]) {
      const refused = yield* get(query)
      assert.deepStrictEqual([refused.status, paths(refused)], [400, [query.split("=")[0]]], query)
    }
  }).pipe(Effect.scoped),
)

it.live("a body that is not a batch is refused", () =>
  Effect.gen(function* () {
    const { post } = yield* served
    const item = { email: "a@example.com" }
    const many = Array.from({ length: 101 }, () => item)
    for (const path of ["/v1/contacts", "/v1/contacts/upsert"]) {
      for (const [body, where] of [
        [{}, "items"],
        [{ items: [] }, "items"],
        [{ items: "x" }, "items"],
        [{ items: many }, "items"],
        [{ items: [item], extra: 1 }, "extra"],
      ] as const) {
        const refused = yield* post(path, body)
        assert.deepStrictEqual(
          [refused.status, refused.json.error_code, paths(refused)],
          [400, "validation_failed", [where]],
        )
      }
    }
  }).pipe(Effect.scoped),
)

it.live("malformed ids are 400 and unknown ids 404", () =>
  Effect.gen(function* () {
    const { call } = yield* served
    for (const path of ["/v1/contacts", "/v1/contact-fields"]) {
      const malformed = yield* call("GET", `${path}/not-a-uuid`)
      assert.deepStrictEqual([malformed.status, malformed.json.error_code], [400, "invalid_id"])
      const unknown = yield* call("GET", `${path}/7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11`)
      assert.deepStrictEqual([unknown.status, unknown.json.error_code], [404, "not_found"])
    }
  }).pipe(Effect.scoped),
)

it.live("a field is created with defaults and can be read", () =>
  Effect.gen(function* () {
    const { call, post } = yield* served
    const made = yield* post("/v1/contact-fields", { display_name: "Born", api_name: "born", value_type: "date" })
    assert.strictEqual(made.status, 201)
    const [{ field_definition_id, created_at, updated_at, ...rest }] = made.json.items
    assert.deepStrictEqual(rest, {
      type: "custom",
      api_name: "born",
      display_name: "Born",
      value_type: "date",
      is_editable: true,
      description: null,
      status: "active",
      management_mode: "org_managed",
      provenance_kind: "api",
      provenance_provider: null,
      provenance_reference: null,
      created_by_user_id: null,
      created_from_import_session_id: null,
      show_in_people_list_default: false,
    })
    assert.match(created_at, instant)
    assert.strictEqual(created_at, updated_at)
    assert.deepStrictEqual((yield* call("GET", `/v1/contact-fields/${field_definition_id}`)).json, made.json.items[0])
    assert.deepStrictEqual((yield* call("GET", "/v1/contact-fields")).json, made.json)
    assert.deepStrictEqual((yield* call("GET", "/v1/contact-fields?status=any")).json, made.json)
    assert.deepStrictEqual((yield* call("GET", "/v1/contact-fields?status=archived")).json, { items: [] })
    assert.strictEqual((yield* call("GET", "/v1/contact-fields?status=gone")).status, 400)
  }).pipe(Effect.scoped),
)

it.live("creates all fields or none, and reports the path of each issue", () =>
  Effect.gen(function* () {
    const { call, post } = yield* served
    const whole = (n: number) => ({ display_name: `F${n}`, api_name: `f_${n}`, value_type: "string" })
    const at = (body: unknown) =>
      Effect.map(post("/v1/contact-fields", body), (refused) => [refused.status, paths(refused)])
    assert.deepStrictEqual(yield* at({}), [400, ["display_name", "api_name", "value_type"]])
    assert.deepStrictEqual(yield* at({ ...whole(1), bogus: 1 }), [400, ["bogus"]])
    assert.deepStrictEqual(yield* at({ items: [] }), [400, ["items"]])
    assert.deepStrictEqual(yield* at({ items: Array.from({ length: 51 }, (_, n) => whole(n)) }), [400, ["items"]])
    assert.deepStrictEqual(yield* at({ items: [whole(1), { ...whole(2), api_name: "BAD", value_type: "text" }] }), [
      400,
      ["items.1.api_name", "items.1.value_type"],
    ])
    assert.deepStrictEqual(yield* at({ items: [whole(1), { ...whole(2), api_name: "email" }] }), [
      400,
      ["items.1.api_name"],
    ])
    assert.deepStrictEqual(yield* at({ ...whole(1), api_name: "company" }), [400, ["api_name"]])
    assert.deepStrictEqual((yield* call("GET", "/v1/contact-fields?status=any")).json, { items: [] })

    const [there] = (yield* post("/v1/contact-fields", whole(1))).json.items
    const taken = yield* post("/v1/contact-fields", { items: [whole(2), whole(1), whole(3), whole(3)] })
    assert.deepStrictEqual([taken.status, taken.json.error_code], [409, "field_definition_collision"])
    assert.deepStrictEqual(taken.json.conflicts, [
      {
        kind: "active_existing",
        requested_api_name: "f_1",
        existing_field_definition_id: there.field_definition_id,
        existing_display_name: "F1",
      },
      {
        kind: "duplicate_in_request",
        requested_api_name: "f_3",
        existing_field_definition_id: null,
        existing_display_name: null,
      },
    ])
    for (const from of [2, 52, 102, 152]) {
      const size = from === 152 ? 48 : 50
      const items = Array.from({ length: size }, (_, n) => whole(from + n))
      assert.strictEqual((yield* post("/v1/contact-fields", { items })).status, 201)
    }
    const full = yield* post("/v1/contact-fields", { items: [whole(900), whole(901)] })
    assert.deepStrictEqual([full.status, full.json.error_code], [409, "field_definition_cap_exceeded"])
    const { limit, current_active_count, attempted_count } = full.json
    assert.deepStrictEqual([limit, current_active_count, attempted_count], [200, 199, 2])
  }).pipe(Effect.scoped),
)

it.live("the OpenAPI document has the schemas of items and fields", () =>
  Effect.gen(function* () {
    const { call } = yield* served
    const { json } = yield* call("GET", "/openapi.json")
    const text = JSON.stringify(json.components.schemas.ContactItem)
    for (const field of standardFields) {
      assert.strictEqual(text.includes(`"${field.apiName}"`), field.writable, field.apiName)
    }
    assert.include(JSON.stringify(json.components.schemas.CreateContactFields), "show_in_people_list_default")
    assert.property(json.paths, "/v1/contact-fields/{fieldDefinitionId}")
    assert.property(json.paths, "/v1/contacts/{contact_id}")
  }).pipe(Effect.scoped),
)
