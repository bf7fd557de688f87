// Tests of the custom field endpoints.
import { ruleActivityTypes } from "@tentpole/core/contacts/Activity"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { valueOperators } from "@tentpole/core/segments/Operators"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, serving } from "../../fixtures/World.ts"

const served = Effect.map(serving(Api, handlers), ({ call }) => {
  const root = "/v1/contact-fields"
  const post = (json: unknown) => call("POST", root, { json })
  const make = (json: object = {}): Effect.Effect<Json> =>
    Effect.map(
      post({ display_name: "Shoe size", api_name: "shoe_size", value_type: "string", ...json }),
      ({ json: made }) => made.items[0],
    )
  const at = (id: string) => `${root}/${id}`
  const find = (id: string) => Effect.map(call("GET", at(id)), ({ json }) => json)
  const patch = (id: string, json: unknown) => call("PATCH", at(id), { json })
  const archive = (id: string) => call("DELETE", at(id))
  return { call, post, make, find, patch, archive }
})

const issues = (answered: { readonly json: Json }): Readonly<Record<string, string>> =>
  Object.fromEntries(
    answered.json.details.issues.map((issue: { readonly path: string; readonly message: string }) => [
      issue.path,
      issue.message,
    ]),
  )

const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

it.live("an update changes the given fields, and updated_at only if a value changes", () =>
  Effect.gen(function* () {
    const { make, patch, find } = yield* served
    const made = yield* make({ description: "EU" })
    const id = made.field_definition_id
    const changes = { display_name: "Boots", description: null, is_editable: false, show_in_people_list_default: true }
    const edited = yield* patch(id.toUpperCase(), changes)
    assert.strictEqual(edited.status, 200)
    assert.deepStrictEqual({ ...edited.json, updated_at: made.updated_at }, { ...made, ...changes })
    assert.isAtLeast(Date.parse(edited.json.updated_at), Date.parse(made.updated_at))
    assert.deepStrictEqual(yield* find(id), edited.json)
    yield* Effect.sleep("5 millis")
    assert.deepStrictEqual((yield* patch(id, { ...changes, description: "", status: "active" })).json, edited.json)
    const again = yield* patch(id, { description: "US" })
    assert.strictEqual(again.json.description, "US")
    assert.isAbove(Date.parse(again.json.updated_at), Date.parse(edited.json.updated_at))
  }).pipe(Effect.scoped),
)

it.live("an invalid update reports all issues and changes nothing", () =>
  Effect.gen(function* () {
    const { make, patch, find } = yield* served
    const made = yield* make()
    const id = made.field_definition_id
    const shown = Object.keys(made).filter(
      (key) => !["display_name", "description", "is_editable", "show_in_people_list_default", "status"].includes(key),
    )
    const refused = yield* patch(id, {
      ...Object.fromEntries(shown.map((key) => [key, made[key]])),
      display_name: "",
      description: "d".repeat(1001),
      is_editable: "yes",
      show_in_people_list_default: null,
      status: "gone",
      bogus: 1,
    })
    assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "validation_failed"])
    const reported = issues(refused)
    assert.sameMembers(Object.keys(reported), [
      ...shown,
      "display_name",
      "description",
      "is_editable",
      "show_in_people_list_default",
      "status",
      "bogus",
    ])
    for (const key of shown) {
      const words = key === "api_name" || key === "value_type" ? "can't change" : "is read-only"
      assert.include(reported[key], words, key)
    }
    assert.include(reported["bogus"], "not a field")
    const empty = yield* patch(id, {})
    assert.deepStrictEqual([empty.status, Object.keys(issues(empty))], [400, [""]])
    assert.include(empty.json.message, "at least one of display_name")
    for (const body of [[], null, "x", { display_name: null }, { display_name: "d".repeat(256) }, { status: null }]) {
      assert.strictEqual((yield* patch(id, body)).status, 400, JSON.stringify(body))
    }
    assert.deepStrictEqual(yield* find(id), made)
  }).pipe(Effect.scoped),
)

it.live("an archived field and its values are hidden and can be restored", () =>
  Effect.gen(function* () {
    const { call, post, make, patch, archive, find } = yield* served
    const made = yield* make()
    const id = made.field_definition_id
    const items = [{ email: "ann@example.com", custom_fields: { shoe_size: "42" } }]
    const ann = (yield* call("POST", "/v1/contacts", { json: { items } })).json.items[0].contact
    const values = Effect.map(call("GET", `/v1/contacts/${ann.contact_id}`), ({ json }) => json.custom_fields)

    const answered = yield* archive(id)
    assert.deepStrictEqual([answered.status, answered.text], [204, ""])
    const archived = yield* find(id)
    assert.deepStrictEqual({ ...archived, updated_at: made.updated_at }, { ...made, status: "archived" })
    assert.strictEqual((yield* archive(id)).status, 204)
    assert.deepStrictEqual(yield* find(id), archived)
    assert.deepStrictEqual(yield* values, {})
    const again = yield* post({ display_name: "Other", api_name: "shoe_size", value_type: "number" })
    assert.deepStrictEqual(
      [again.status, again.json.conflicts],
      [
        409,
        [
          {
            kind: "archived_existing",
            requested_api_name: "shoe_size",
            existing_field_definition_id: id,
            existing_display_name: "Shoe size",
          },
        ],
      ],
    )
    const write = call("POST", "/v1/contacts/upsert", { json: { items } })
    assert.strictEqual((yield* write).json.items[0].error_code, "unknown_custom_field")

    const back = yield* patch(id, { status: "active", display_name: "Boots" })
    assert.deepStrictEqual([back.status, back.json.status, back.json.display_name], [200, "active", "Boots"])
    assert.deepStrictEqual(yield* values, { shoe_size: "42" })
    assert.strictEqual((yield* write).json.items[0].status, "updated")
    assert.strictEqual((yield* patch(id, { status: "archived" })).json.status, "archived")
    assert.deepStrictEqual(yield* values, {})
  }).pipe(Effect.scoped),
)

it.live("restoring is refused at the limit of active fields until one is archived", () =>
  Effect.gen(function* () {
    const { post, make, patch, archive, find } = yield* served
    const whole = (n: number) => ({ display_name: `F${n}`, api_name: `f_${n}`, value_type: "string" })
    const { field_definition_id: id } = yield* make()
    yield* archive(id)
    for (const from of [0, 50, 100, 150]) {
      const items = Array.from({ length: 50 }, (_, n) => whole(from + n))
      assert.strictEqual((yield* post({ items })).status, 201)
    }
    const full = yield* patch(id, { status: "active", display_name: "Boots" })
    assert.deepStrictEqual([full.status, full.json.error_code], [409, "field_definition_cap_exceeded"])
    const { limit, current_active_count, attempted_count } = full.json
    assert.deepStrictEqual([limit, current_active_count, attempted_count], [200, 200, 1])
    const { status, display_name } = yield* find(id)
    assert.deepStrictEqual([status, display_name], ["archived", "Shoe size"])
  }).pipe(Effect.scoped),
)

it.live("malformed ids are 400 and unknown ids 404", () =>
  Effect.gen(function* () {
    const { patch, archive } = yield* served
    for (const [id, status, code] of [
      ["not-a-uuid", 400, "invalid_id"],
      ["rule-metadata", 400, "invalid_id"],
      [unknown, 404, "not_found"],
    ] as const) {
      for (const answered of [yield* patch(id, { status: "active" }), yield* archive(id)]) {
        assert.deepStrictEqual([answered.status, answered.json.error_code], [status, code], id)
      }
    }
  }).pipe(Effect.scoped),
)

it.live("reports reserved names with other issues, and all collisions at once", () =>
  Effect.gen(function* () {
    const { post, make, archive } = yield* served
    const item = (api_name: string) => ({ display_name: "D", api_name, value_type: "string" })
    const refused = yield* post({ items: [item("email"), item("BAD"), { ...item("fine"), value_type: "text" }] })
    assert.deepStrictEqual(
      [refused.status, Object.keys(issues(refused))],
      [400, ["items.0.api_name", "items.1.api_name", "items.2.value_type"]],
    )
    const [a, b] = [yield* make({ api_name: "a" }), yield* make({ api_name: "b" })]
    yield* archive(b.field_definition_id)
    const taken = yield* post({ items: ["a", "c", "b", "a", "c"].map(item) })
    assert.deepStrictEqual(
      [taken.status, taken.json.conflicts.map((each: Json) => Object.values(each))],
      [
        409,
        [
          ["active_existing", "a", a.field_definition_id, "Shoe size"],
          ["archived_existing", "b", b.field_definition_id, "Shoe size"],
          ["duplicate_in_request", "a", a.field_definition_id, "Shoe size"],
          ["duplicate_in_request", "c", null, null],
        ],
      ],
    )
  }).pipe(Effect.scoped),
)

it.live("rule metadata lists fields, operators, aliases and limits", () =>
  Effect.gen(function* () {
    const { call, make, archive } = yield* served
    const born = yield* make({ api_name: "born", display_name: "Born", value_type: "date" })
    yield* archive((yield* make({ api_name: "gone" })).field_definition_id)
    const { status, json } = yield* call("GET", "/v1/contact-fields/rule-metadata")
    assert.strictEqual(status, 200)
    const { standard_fields, custom_fields, operator_aliases, ...rest } = json
    assert.deepStrictEqual(
      standard_fields,
      standardFields.map(({ key, apiName, displayName, valueType }) => ({
        key,
        api_name: apiName,
        display_name: displayName,
        value_type: valueType,
        operators: valueOperators[valueType],
      })),
    )
    assert.deepStrictEqual(custom_fields, [
      {
        field_definition_id: born.field_definition_id,
        api_name: "born",
        display_name: "Born",
        value_type: "date",
        operators: valueOperators.date,
      },
    ])
    assert.deepStrictEqual(rest, {
      activity: {
        activity_types: ruleActivityTypes,
        operators: ["has_activity", "has_no_activity"],
        time_window_units: ["minute", "hour", "day", "week", "month"],
      },
      list_membership: { operators: ["is_member", "is_not_member"] },
      topic: { operators: ["is_subscribed", "is_not_subscribed", "is_pending"] },
      email_step: {
        operators: ["has_activity"],
        metrics: ["sent", "delivered", "opened", "clicked", "bounced", "unsubscribed"],
      },
      limits: { max_depth: 5, max_nodes: 100 },
    })
    assert.deepStrictEqual(
      [operator_aliases.eq, operator_aliases.in_list, operator_aliases.did],
      ["equals", "is_member", "has_activity"],
    )
  }).pipe(Effect.scoped),
)

it.live("tags are written as arrays of words, replaced by an update, and found by rules and in the timeline", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    const field = yield* make({ api_name: "interests", value_type: "tags" })
    assert.strictEqual(field.value_type, "tags")
    const create = (interests: unknown) =>
      call("POST", "/v1/contacts", { json: { items: [{ email: "ann@b.co", custom_fields: { interests } }] } })
    for (const wrong of ["vip, gold", [5], ["a", " "], { 0: "a" }, ["x".repeat(101)]]) {
      const refused = (yield* create(wrong)).json.items[0]
      assert.strictEqual(refused.error_code, "invalid_custom_field_value", JSON.stringify(wrong))
      assert.match(refused.message, /^custom_fields\.interests must (be|have)/)
    }
    const { contact } = (yield* create(["VIP", "gold", " vip"])).json.items[0]
    assert.deepStrictEqual(contact.custom_fields, { interests: ["VIP", "gold"] })
    const at = `/v1/contacts/${contact.contact_id}`
    const patch = (interests: unknown) => call("PATCH", at, { json: { custom_fields: { interests } } })
    const same = (yield* patch(["VIP", "gold"])).json
    assert.strictEqual(same.updated_at, contact.updated_at)
    const changed = (yield* patch(["wine"])).json
    assert.deepStrictEqual(changed.custom_fields, { interests: ["wine"] })
    const { activities } = (yield* call("GET", `${at}/activities`)).json
    assert.deepStrictEqual(activities[0].metadata.changes, [
      { field: "custom_fields.interests", from: ["VIP", "gold"], to: ["wine"] },
    ])
    const rules = (operator: string, value: unknown) => ({
      kind: "condition",
      source: "custom_field",
      api_name: "interests",
      operator,
      value,
    })
    const explained = (operator: string, value: unknown) =>
      call("POST", `${at}/explain`, { json: { rules: rules(operator, value) } })
    assert.deepInclude((yield* explained("contains_any", ["Wine", "x"])).json.conditions[0], {
      value: ["wine"],
      held: true,
    })
    assert.isFalse((yield* explained("contains_all", ["Wine", "x"])).json.matches)
    const refused = yield* explained("contains_any", "wine")
    assert.deepStrictEqual(issues(refused), { "rules.value": 'must be an array of words, as ["vip", "gold"]' })
    assert.deepStrictEqual((yield* patch([])).json.custom_fields, { interests: null })
  }).pipe(Effect.scoped),
)
