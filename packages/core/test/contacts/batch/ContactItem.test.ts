// Tests of items, rows and forms decoded into patches, with all faults at once.
import type { CustomValue } from "@tentpole/core/contacts/Contact"
import { type StandardField, standardFields } from "@tentpole/core/contacts/ContactFields"
import { type CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import { fieldsByName, type ItemContext, readItem } from "@tentpole/core/contacts/batch/ContactItem"
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"

const types = ["string", "number", "boolean", "date", "tags"] as const
const definitions: ReadonlyArray<CustomField> = Result.getOrThrow(
  FieldChange.create(
    [
      ...types.map((type) => [type, true] as const),
      ...(["locked", "gone"] as const).map((name) => [name, false] as const),
    ].map(([name, isEditable]) => ({
      apiName: `a_${name}`,
      displayName: name,
      valueType: name === "locked" || name === "gone" ? "string" : name,
      isEditable,
      description: null,
      showInPeopleListDefault: false,
    })),
    {
      existing: [],
      ids: Array.from({ length: types.length + 2 }, (_, n) =>
        FieldDefinitionId.make(`00000000-0000-4000-8000-00000000000${n}`),
      ),
      now: DateTime.makeUnsafe(0),
    },
    { provenanceKind: "api", pathOf: () => "" },
  ),
).creates.map((field) => (field.apiName === "a_gone" ? { ...field, status: "archived" } : field))

const json: ItemContext = {
  values: "json",
  fields: fieldsByName(definitions),
  defaultCountry: "US",
  allowNotEditable: false,
}
const text: ItemContext = { ...json, values: "text", allowNotEditable: true }

const patch = (item: unknown, how = json) =>
  Result.getOrThrowWith(readItem(item, how).patch, (refusal) => new Error(refusal.message))
const refusal = (item: unknown, how = json) => Result.getOrThrow(Result.flip(readItem(item, how).patch))
const issues = (item: unknown, how = json) => refusal(item, how).issues.map((issue) => [issue.path, issue.code])

const sample = (field: StandardField): unknown => {
  switch (field.kind) {
    case "email":
      return "a@x.test"
    case "phone":
      return "+14152000001"
    case "number":
      return 1
    case "boolean":
      return true
    default:
      return "x"
  }
}

describe("Contact item", () => {
  it.prop("is decoded or refused for any JSON", [Schema.Json], ([item]) => {
    for (const how of [json, text]) {
      const read = readItem(item, how)
      if (Result.isFailure(read.patch)) assert.isAbove(read.patch.failure.message.length, 0)
      else assert.isTrue(typeof item === "object" && item !== null && !Array.isArray(item))
    }
  })

  it("accepts each writable field of the table, clears optional ones, and accepts no other field", () => {
    for (const field of standardFields) {
      const read = readItem({ [field.apiName]: sample(field) }, json)
      assert.strictEqual(Result.isSuccess(read.patch), field.writable, field.apiName)
      const cleared = readItem({ [field.apiName]: null }, json)
      assert.strictEqual(Result.isSuccess(cleared.patch), field.writable && field.nullable, field.apiName)
      if (field.writable && field.nullable) assert.deepStrictEqual(cleared.patch, Result.succeed({ [field.key]: null }))
      if (!field.writable)
        assert.deepStrictEqual(issues({ [field.apiName]: sample(field) }), [[field.apiName, "INVALID_ITEM"]])
    }
  })

  it("limits the length of each text", () => {
    for (const field of standardFields) {
      if (field.kind !== "text") continue
      assert.deepStrictEqual(patch({ [field.apiName]: "é".repeat(field.length_max) }), {
        [field.key]: "é".repeat(field.length_max),
      })
      assert.deepStrictEqual(issues({ [field.apiName]: "x".repeat(field.length_max + 1) }), [
        [field.apiName, "INVALID_ITEM"],
      ])
      assert.deepStrictEqual(patch({ [field.apiName]: "" }), { [field.key]: null })
    }
  })

  it("reports all faults at once, and a fault of its form by name", () => {
    const item = {
      client_item_id: "mine",
      email: "nope",
      phone: "12",
      first_name: 5,
      created_at: "2026-01-01T00:00:00.000Z",
      nickname: "x",
      custom_fields: { unheard_of: 1, a_gone: "x", a_locked: "x", a_number: "5", a_string: "fine" },
    }
    assert.deepStrictEqual(issues(item), [
      ["email", "invalid_email"],
      ["phone", "invalid_phone"],
      ["first_name", "INVALID_ITEM"],
      ["created_at", "INVALID_ITEM"],
      ["nickname", "INVALID_ITEM"],
      ["custom_fields.unheard_of", "unknown_custom_field"],
      ["custom_fields.a_gone", "unknown_custom_field"],
      ["custom_fields.a_locked", "field_not_editable"],
      ["custom_fields.a_number", "invalid_custom_field_value"],
    ])
    assert.strictEqual(refusal(item).code, "INVALID_ITEM")
    assert.strictEqual(refusal({ phone: "12", email: "nope" }).code, "invalid_phone")
    assert.strictEqual(readItem(item, json).clientItemId, "mine")
    assert.strictEqual(refusal(5).message, "The item must be an object")
  })

  it("accepts no name that every object has", { tags: ["attack/prototype-key"] }, () => {
    const raw: unknown = JSON.parse(
      '{"email":"a@x.test","__proto__":{"city":"x"},"constructor":1,"custom_fields":{"__proto__":1,"toString":2}}',
    )
    assert.sameDeepMembers(issues(raw), [
      ["__proto__", "INVALID_ITEM"],
      ["constructor", "INVALID_ITEM"],
      ["custom_fields.__proto__", "unknown_custom_field"],
      ["custom_fields.toString", "unknown_custom_field"],
    ])
  })

  it("reports at most 100 faults", () => {
    const item = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`odd_${n}`, n]))
    assert.strictEqual(refusal(item).issues.length, 100)
    assert.strictEqual(refusal({ custom_fields: item }).issues.length, 100)
  })
})

describe("Text value", () => {
  it("is parsed by the type of its field, and means nothing when blank", () => {
    const cells = {
      email: " Ann@X.test ",
      first_name: " Ann ",
      service_score: " 12.5 ",
      unsubscribed: "Yes",
      marketing_email_subscribed: " ",
      city: "",
      custom_fields: {
        a_number: "1e3",
        a_boolean: "no",
        a_date: "2026-05-01 12:30",
        a_tags: "vip; Gold, VIP",
        a_locked: "by machine",
        a_string: "  ",
        a_gone: "",
      },
    }
    assert.deepStrictEqual(patch(cells, text), {
      email: { written: "Ann@X.test", normalized: "ann@x.test" },
      firstName: " Ann ",
      serviceScore: 12.5,
      unsubscribed: true,
      customFields: new Map<string, CustomValue>([
        ["a_number", 1000],
        ["a_boolean", false],
        ["a_date", "2026-05-01T12:30:00.000Z"],
        ["a_tags", ["vip", "Gold"]],
        ["a_locked", "by machine"],
      ]),
    })
  })

  it("refuses the row when it is no value of its field", () => {
    assert.deepStrictEqual(issues({ service_score: "12 kg", custom_fields: { a_date: "soon" } }, text), [
      ["service_score", "INVALID_ITEM"],
      ["custom_fields.a_date", "invalid_custom_field_value"],
    ])
  })
})
