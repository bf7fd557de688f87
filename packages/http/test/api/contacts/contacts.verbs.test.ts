// Tests of updates, deletions and activities of contacts.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, serving, paths } from "../../fixtures/World.ts"

const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const served = Effect.map(serving(Api, handlers), ({ call }) => {
  const post = (path: string, ...items: ReadonlyArray<unknown>) => call("POST", path, { json: { items } })
  const made = (item: object) => Effect.map(post("/v1/contacts", item), ({ json }) => json.items[0].contact)
  const field = (api_name: string, more: object = {}) =>
    post("/v1/contact-fields", { display_name: api_name, api_name, value_type: "string", ...more })
  const find = (id: string) => call("GET", `/v1/contacts/${id}`)
  const patch = (id: string, json: unknown) => call("PATCH", `/v1/contacts/${id}`, { json })
  const remove = (id: string) => call("DELETE", `/v1/contacts/${id}`)
  const timeline = (id: string, query = "") => call("GET", `/v1/contacts/${id}/activities${query}`)
  return { call, post, made, field, find, patch, remove, timeline }
})

const codes = (answered: { readonly json: Json }): ReadonlyArray<string> =>
  answered.json.items.map((item: Json) => item.error_code ?? item.status)
const types = (answered: { readonly json: Json }): ReadonlyArray<string> =>
  answered.json.activities.map((activity: Json) => activity.type)

it.live("a patch sets values, clears null ones, merges custom fields and returns the contact", () =>
  Effect.gen(function* () {
    const { made, field, find, patch } = yield* served
    yield* field("shoe_size")
    yield* field("hat")
    const before = yield* made({
      email: "ann@example.com",
      phone: "+14152000001",
      city: "Bern",
      first_name: "Ann",
      custom_fields: { shoe_size: "42" },
    })
    const fields = { city: null, email: "ANN@example.com", custom_fields: { hat: "L", shoe_size: null } }
    const patched = yield* patch(before.contact_id, fields)
    assert.strictEqual(patched.status, 200)
    assert.deepStrictEqual(
      { ...patched.json, updated_at: null },
      {
        ...before,
        city: null,
        email: "ANN@example.com",
        custom_fields: { hat: "L", shoe_size: null },
        updated_at: null,
      },
    )
    assert.deepStrictEqual((yield* find(before.contact_id)).json, patched.json)
  }).pipe(Effect.scoped),
)

it.live("a patch without changes records nothing", () =>
  Effect.gen(function* () {
    const { made, find, patch, timeline } = yield* served
    const before = yield* made({ email: "ann@example.com", city: "Bern" })
    for (const fields of [{}, { city: "Bern" }, { custom_fields: {} }]) {
      const patched = yield* patch(before.contact_id, fields)
      assert.deepStrictEqual([patched.status, patched.json], [200, before])
    }
    assert.deepStrictEqual((yield* find(before.contact_id)).json, before)
    assert.deepStrictEqual(types(yield* timeline(before.contact_id)), ["contact_created"])
  }).pipe(Effect.scoped),
)

it.live("an invalid patch reports all issues; the code is specific if all have the same kind", () =>
  Effect.gen(function* () {
    const { made, field, find, patch } = yield* served
    yield* field("shoe_size", { value_type: "number" })
    yield* field("locked", { is_editable: false })
    const before = yield* made({ email: "ann@example.com" })
    const refused: ReadonlyArray<readonly [unknown, string, ReadonlyArray<string>]> = [
      [{ city: "x", nickname: "A" }, "validation_failed", ["nickname"]],
      [{ client_item_id: "k" }, "validation_failed", ["client_item_id"]],
      [
        { contact_id: before.contact_id, marketing_email_invalid: true, created_at: before.created_at },
        "validation_failed",
        ["contact_id", "marketing_email_invalid", "created_at"],
      ],
      [
        { first_name: 5, service_score: "x", zip_code: "z".repeat(51) },
        "validation_failed",
        ["first_name", "service_score", "zip_code"],
      ],
      [{ email: "nope" }, "invalid_email", ["email"]],
      [{ phone: "12" }, "invalid_phone", ["phone"]],
      [{ custom_fields: { unheard_of: 1 } }, "unknown_custom_field", ["custom_fields.unheard_of"]],
      [{ custom_fields: { shoe_size: "42" } }, "invalid_custom_field_value", ["custom_fields.shoe_size"]],
      [{ custom_fields: { locked: "x" } }, "field_not_editable", ["custom_fields.locked"]],
      [{ email: "nope", phone: "12" }, "validation_failed", ["email", "phone"]],
      [{ email: "nope", city: 5 }, "validation_failed", ["email", "city"]],
      [{ email: null }, "validation_failed", ["email"]],
      [{ email: "", phone: null }, "validation_failed", ["email", "phone"]],
      [[], "validation_failed", [""]],
      [5, "validation_failed", [""]],
      [null, "validation_failed", [""]],
    ]
    for (const [fields, code, where] of refused) {
      const answered = yield* patch(before.contact_id, fields)
      assert.deepStrictEqual([answered.status, answered.json.error_code, paths(answered)], [400, code, where])
    }
    const readOnly = yield* patch(before.contact_id, { contact_id: before.contact_id })
    assert.include(readOnly.json.details.issues[0].message, "read-only")
    assert.deepStrictEqual((yield* find(before.contact_id)).json, before)
  }).pipe(Effect.scoped),
)

it.live("a patch to another contact's email is a conflict with existing_contact", () =>
  Effect.gen(function* () {
    const { made, find, patch } = yield* served
    const there = yield* made({ email: "ann@example.com", phone: "+14152000001", display_name: "Ann" })
    const before = yield* made({ email: "bob@example.com" })
    for (const [fields, where] of [
      [{ email: " ANN@example.com" }, "email"],
      [{ phone: "(415) 200-0001", city: "x" }, "phone"],
    ] as const) {
      const answered = yield* patch(before.contact_id, fields)
      assert.deepStrictEqual([answered.status, answered.json.error_code, paths(answered)], [409, "conflict", [where]])
      assert.deepStrictEqual(answered.json.existing_contact, {
        contact_id: there.contact_id,
        display_name: "Ann",
        email: "ann@example.com",
        phone: "+14152000001",
      })
    }
    assert.deepStrictEqual((yield* find(before.contact_id)).json, before)
  }).pipe(Effect.scoped),
)

it.live("deletes a contact from its lists, too, and frees its address", () =>
  Effect.gen(function* () {
    const { call, made, find, patch, remove, timeline } = yield* served
    const deleted = yield* made({ email: "ann@example.com" })
    const stays = yield* made({ email: "bob@example.com" })
    const { json: list } = yield* call("POST", "/v1/contact-lists", {
      json: { name: "Both", kind: "static", contact_ids: [deleted.contact_id, stays.contact_id] },
    })
    const removed = yield* remove(deleted.contact_id)
    assert.deepStrictEqual([removed.status, removed.text], [204, ""])
    for (const answered of [
      yield* find(deleted.contact_id),
      yield* remove(deleted.contact_id),
      yield* patch(deleted.contact_id, { city: "x" }),
      yield* timeline(deleted.contact_id),
    ]) {
      assert.deepStrictEqual([answered.status, answered.json.error_code], [404, "not_found"])
    }
    assert.strictEqual((yield* call("GET", `/v1/contact-lists/${list.list_id}`)).json.member_count, 1)
    assert.notStrictEqual((yield* made({ email: "ann@example.com" })).contact_id, deleted.contact_id)
  }).pipe(Effect.scoped),
)

it.live("a batch of updates is executed in order with a result for each item", () =>
  Effect.gen(function* () {
    const { made, post, find } = yield* served
    const [ann, bob] = [yield* made({ email: "ann@example.com" }), yield* made({ email: "bob@example.com" })]
    const answered = yield* post(
      "/v1/contacts/update",
      { contact_id: bob.contact_id, email: "ann@example.com" },
      { contact_id: ann.contact_id, email: "free@example.com", client_item_id: "row-2" },
      { contact_id: bob.contact_id.toUpperCase(), email: "ann@example.com" },
      { contact_id: unknown, city: "x" },
      { contact_id: "nope", city: "x", client_item_id: "bad" },
      { city: "x" },
      { contact_id: ann.contact_id, phone: "", email: null },
      { contact_id: ann.contact_id, marketing_email_invalid: true },
      5,
      { contact_id: bob.contact_id, city: "Last" },
    )
    assert.strictEqual(answered.status, 200)
    const { status, updated_count, rejected_count, items } = answered.json
    assert.deepStrictEqual([status, updated_count, rejected_count], ["completed", 3, 7])
    assert.deepStrictEqual(codes(answered), [
      "conflict",
      "updated",
      "updated",
      "NOT_FOUND",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "updated",
    ])
    assert.strictEqual(items[0].existing_contact.contact_id, ann.contact_id)
    assert.deepStrictEqual(
      [items[1].index, items[1].client_item_id, items[1].contact_id, items[1].contact.email],
      [1, "row-2", ann.contact_id, "free@example.com"],
    )
    assert.strictEqual(items[4].client_item_id, "bad")
    assert.deepStrictEqual((yield* find(bob.contact_id)).json, items[9].contact)
    assert.deepStrictEqual([items[9].contact.email, items[9].contact.city], ["ann@example.com", "Last"])
  }).pipe(Effect.scoped),
)

it.live("both deletion endpoints return the same results", () =>
  Effect.gen(function* () {
    const { call, made, find } = yield* served
    for (const [method, path] of [
      ["POST", "/v1/contacts/delete"],
      ["DELETE", "/v1/contacts"],
    ] as const) {
      const [ann, bob] = [yield* made({ email: "ann@example.com" }), yield* made({ email: "bob@example.com" })]
      const items = [
        { contact_id: ann.contact_id, client_item_id: "a" },
        { contact_id: unknown },
        { contact_id: bob.contact_id },
        { contact_id: ann.contact_id, client_item_id: "again" },
        { contact_id: "nope" },
        { contact_id: bob.contact_id, city: "x" },
        "x",
      ]
      const answered = yield* call(method, path, { json: { items } })
      assert.strictEqual(answered.status, 200)
      const { status, deleted_count, rejected_count } = answered.json
      assert.deepStrictEqual([status, deleted_count, rejected_count], ["completed", 2, 5])
      assert.deepStrictEqual(codes(answered), [
        "deleted",
        "NOT_FOUND",
        "deleted",
        "NOT_FOUND",
        "INVALID_ITEM",
        "INVALID_ITEM",
        "INVALID_ITEM",
      ])
      assert.deepStrictEqual(answered.json.items[0], {
        index: 0,
        client_item_id: "a",
        contact_id: ann.contact_id,
        status: "deleted",
      })
      assert.strictEqual(answered.json.items[3].client_item_id, "again")
      for (const { contact_id } of [ann, bob]) assert.strictEqual((yield* find(contact_id)).status, 404)
      const empty = yield* call(method, path, { json: { items: [] } })
      assert.deepStrictEqual([empty.status, paths(empty)], [400, ["items"]])
    }
  }).pipe(Effect.scoped),
)

it.live("activities are paged, the newest first by default", () =>
  Effect.gen(function* () {
    const { made, patch, timeline } = yield* served
    const { contact_id } = yield* made({ email: "ann@example.com" })
    for (const city of ["A", "B", "C"]) yield* patch(contact_id, { city })
    const newest = yield* timeline(contact_id)
    assert.strictEqual(newest.status, 200)
    assert.deepStrictEqual(newest.json.pagination, { page: 1, limit: 25, total: 4, totalPages: 1 })
    assert.deepStrictEqual(types(newest), ["contact_updated", "contact_updated", "contact_updated", "contact_created"])
    const [{ activity_id, timestamp, ...rest }] = newest.json.activities
    assert.isString(activity_id)
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepStrictEqual(rest, {
      type: "contact_updated",
      metadata: { changes: [{ field: "city", from: "B", to: "C" }] },
    })
    const oldest = yield* timeline(contact_id, "?order=asc&limit=3&page=2")
    assert.deepStrictEqual(oldest.json.activities, [newest.json.activities[0]])
    assert.deepStrictEqual(oldest.json.pagination, { page: 2, limit: 3, total: 4, totalPages: 2 })
    for (const query of ["order=up", "limit=0", "limit=101", "page=0", "sort=x"]) {
      assert.strictEqual((yield* timeline(contact_id, `?${query}`)).status, 400, query)
    }
  }).pipe(Effect.scoped),
)

it.live("a malformed id in the path is 400 for every method", () =>
  Effect.gen(function* () {
    const { patch, remove, timeline } = yield* served
    for (const answered of [yield* patch("nope", {}), yield* remove("nope"), yield* timeline("nope")]) {
      assert.deepStrictEqual([answered.status, answered.json.error_code], [400, "invalid_id"])
    }
  }).pipe(Effect.scoped),
)

it.live("the OpenAPI document has the bodies and error codes of these operations", () =>
  Effect.gen(function* () {
    const { call } = yield* served
    const { json } = yield* call("GET", "/openapi.json")
    const { schemas } = json.components
    for (const [name, keys] of [
      ["ContactPatch", ["first_name", "custom_fields"]],
      ["ContactUpdate", ["contact_id", "client_item_id", "first_name"]],
      ["ContactDeletion", ["contact_id", "client_item_id"]],
    ] as const) {
      assert.strictEqual(schemas[name].type, "object", name)
      for (const key of keys) assert.property(schemas[name].properties, key, name)
    }
    assert.notProperty(schemas.ContactPatch.properties, "client_item_id")
    const { patch } = json.paths["/v1/contacts/{contact_id}"]
    assert.includeMembers(Object.keys(patch.responses), ["200", "400", "404", "409"])
    assert.include(JSON.stringify(patch.responses["400"]), "Error_field_not_editable")
    assert.property(json.paths["/v1/contacts/{contact_id}"].delete.responses, "204")
  }).pipe(Effect.scoped),
)
