// Tests of custom fields: created all together or not at all, and updated one by one.
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { customValue } from "@tentpole/core/contacts/Contact"
import { newContact } from "@tentpole/core/contacts/ContactPatch"
import {
  active_fields_max,
  type CustomField,
  FieldChange,
  type FieldPatch,
  fieldStatuses,
  type NewField,
  activeValues,
} from "@tentpole/core/contacts/CustomField"
import { ContactId, FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"

const id = (n: number) => FieldDefinitionId.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)
const now = DateTime.makeUnsafe(5)

const wanted = (apiName: string): NewField => ({
  apiName,
  displayName: apiName.toUpperCase(),
  valueType: "string",
  isEditable: true,
  description: "",
  showInPeopleListDefault: false,
})

const make = (names: ReadonlyArray<string>, existing: ReadonlyArray<CustomField> = []) =>
  FieldChange.create(
    names.map(wanted),
    { existing, ids: names.map((_, n) => id(existing.length + n)), now },
    { provenanceKind: "api", pathOf: (index) => `items.${index}.` },
  )

const made = (names: ReadonlyArray<string>) => Result.getOrThrow(make(names)).creates
const archived = (field: CustomField): CustomField => ({ ...field, status: "archived" })
const refusal = (change: ReturnType<typeof make>) => Result.getOrThrow(Result.flip(change))

describe("Field creation", () => {
  it("creates fields as requested, in their order", () => {
    const fields = made(["b", "a"])
    assert.deepStrictEqual(
      fields.map((field) => [field.id, field.apiName, field.displayName, field.description, field.status]),
      [
        [id(0), "b", "B", null, "active"],
        [id(1), "a", "A", null, "active"],
      ],
    )
  })

  it("reports every name of a standard field with its place", () => {
    const standard = standardFields.map((field) => field.apiName)
    const refused = refusal(make(["fine", ...standard]))
    assert.strictEqual(refused.code, "validation_failed")
    assert.deepStrictEqual(
      refused._tag === "Invalid" ? refused.issues.map((issue) => issue.path) : [],
      standard.map((_, n) => `items.${n + 1}.api_name`),
    )
  })

  const Name = Schema.Literals(["a", "b", "c", "constructor"])
  it.prop(
    "reports every collision with active fields, archived fields and each other",
    [Schema.Array(Name)],
    ([names]) => {
      const [a, b] = made(["a", "b"])
      if (a === undefined || b === undefined) return
      const change = make(names, [a, archived(b)])
      const kinds = names.flatMap((name, n) =>
        names.indexOf(name) < n
          ? ["duplicate_in_request"]
          : name === "a"
            ? ["active_existing"]
            : name === "b"
              ? ["archived_existing"]
              : [],
      )
      if (kinds.length === 0) return assert.isTrue(Result.isSuccess(change))
      const refused = refusal(change)
      assert.strictEqual(refused.code, "field_definition_collision")
      const conflicts = refused._tag === "FieldCollision" ? refused.conflicts : []
      assert.deepStrictEqual(
        conflicts.map((conflict) => conflict.kind),
        kinds,
      )
      for (const { requested_api_name: name, existing_field_definition_id: taken } of conflicts) {
        assert.strictEqual(taken, name === "a" ? a.id : name === "b" ? b.id : null)
      }
    },
  )

  it("fills the workspace up to its limit of active fields, and not beyond", () => {
    const full = made(Array.from({ length: active_fields_max - 1 }, (_, n) => `f_${n}`))
    assert.isTrue(Result.isSuccess(make(["last"], full)))
    const refused = refusal(make(["one", "two"], full))
    assert.deepStrictEqual(refused._tag === "FieldCapExceeded" ? refused.extras : null, {
      limit: 200,
      current_active_count: 199,
      attempted_count: 2,
    })
    assert.isTrue(
      Result.isSuccess(
        make(
          ["one", "two"],
          full.map((field, n) => (n === 0 ? archived(field) : field)),
        ),
      ),
    )
  })
})

describe("Field update", () => {
  const later = DateTime.makeUnsafe(9)
  const edit = (field: CustomField, patch: FieldPatch, existing: ReadonlyArray<CustomField> = [field]) =>
    FieldChange.update(field.id, patch, { existing, now: later })
  const one = (field: Partial<CustomField> = {}): CustomField => {
    const [made_] = made(["shoe"])
    return { ...(made_ ?? assert.fail()), ...field }
  }

  const Patch = Schema.Struct({
    displayName: Schema.optionalKey(Schema.Literals(["SHOE", "Boot"])),
    description: Schema.optionalKey(Schema.NullOr(Schema.Literals(["", "why"]))),
    isEditable: Schema.optionalKey(Schema.Boolean),
    showInPeopleListDefault: Schema.optionalKey(Schema.Boolean),
    status: Schema.optionalKey(Schema.Literals(fieldStatuses)),
  })
  const Before = Schema.Struct({
    description: Schema.NullOr(Schema.Literal("why")),
    status: Schema.Literals(fieldStatuses),
  })

  it.prop(
    "changes what the patch names and keeps the rest; the time moves only with a change",
    [Before, Patch],
    ([some, patch]) => {
      const before = one(some)
      const { field, change } = Result.getOrThrow(edit(before, patch))
      const expected = { ...before, ...patch, ...(patch.description === "" ? { description: null } : {}) }
      assert.deepStrictEqual({ ...field, updatedAt: before.updatedAt }, expected)
      const same = JSON.stringify(expected) === JSON.stringify(before)
      assert.strictEqual(field.updatedAt, same ? before.updatedAt : later)
      assert.deepStrictEqual(change.updates, same ? [] : [{ before, after: field }])
      assert.deepStrictEqual(change.creates, [])
    },
  )

  it("archives a field, and changes nothing the second time", () => {
    const before = one()
    const { field } = Result.getOrThrow(FieldChange.archive(before.id, { existing: [before], now: later }))
    assert.deepStrictEqual(field, { ...before, status: "archived", updatedAt: later })
    const again = Result.getOrThrow(FieldChange.archive(field.id, { existing: [field], now: DateTime.makeUnsafe(10) }))
    assert.deepStrictEqual([again.field, again.change.updates], [field, []])
  })

  it("refuses to restore a field at the limit of active fields, but still allows other updates", () => {
    const full = made(Array.from({ length: active_fields_max }, (_, n) => `f_${n}`))
    const gone = one({ id: id(999), status: "archived" })
    const refused = Result.getOrThrow(Result.flip(edit(gone, { status: "active" }, [...full, gone])))
    assert.deepStrictEqual(refused._tag === "FieldCapExceeded" ? refused.extras : null, {
      limit: 200,
      current_active_count: 200,
      attempted_count: 1,
    })
    const [first] = full
    if (first === undefined) return assert.fail()
    for (const [field, patch] of [
      [gone, { status: "archived" }],
      [gone, { displayName: "Boot" }],
      [first, { status: "active" }],
    ] as const) {
      assert.isTrue(Result.isSuccess(edit(field, patch, [...full, gone])))
    }
    assert.isTrue(Result.isSuccess(edit(gone, { status: "active" }, [...full.slice(1), gone])))
  })

  it("reports a field of another workspace as not found", () => {
    for (const change of [
      edit(one(), { displayName: "Boot" }, []),
      FieldChange.archive(id(1), { existing: [], now: later }),
    ]) {
      assert.strictEqual(Result.getOrThrow(Result.flip(change)).code, "not_found")
    }
  })
})

describe("Shown values", () => {
  it("are those of active fields, null without a value, for any name", () => {
    const [text, none, gone, constructor] = made(["text", "none", "gone", "constructor"])
    if (!text || !none || !gone || !constructor) return assert.fail()
    const customFields = new Map([
      ["text", "x"],
      ["gone", "y"],
    ])
    const contact = newContact(ContactId.make(id(0)), { phone: "+14152000001", customFields }, "api", now)
    assert.deepStrictEqual(activeValues(contact, [text, none, archived(gone), constructor]), {
      text: "x",
      none: null,
      constructor: null,
    })
    assert.isNull(customValue(contact, "constructor"))
  })
})
