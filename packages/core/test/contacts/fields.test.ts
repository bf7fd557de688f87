// Custom fields come into being all together or not at all.
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { customValue } from "@tentpole/core/contacts/Contact"
import { newContact } from "@tentpole/core/contacts/ContactPatch"
import {
  active_fields_max,
  type CustomField,
  FieldChange,
  type NewField,
  shownValues,
} from "@tentpole/core/contacts/CustomField"
import { ContactId, FieldDefinitionId } from "@tentpole/core/Ids"
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

describe("fields asked for together", () => {
  it("are made as asked, in their order", () => {
    const fields = made(["b", "a"])
    assert.deepStrictEqual(
      fields.map((field) => [field.id, field.apiName, field.displayName, field.description, field.status]),
      [
        [id(0), "b", "B", null, "active"],
        [id(1), "a", "A", null, "active"],
      ],
    )
  })

  it("are told every name that is a standard field's, with its place", () => {
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
    "collide with active ones, archived ones and each other, every one of them told",
    [Schema.Array(Name)],
    ([names]) => {
      const [a, b] = made(["a", "b"])
      if (a === undefined || b === undefined) return
      const change = make(names, [a, archived(b)])
      const kinds = names.flatMap((name, n) =>
        name === "a"
          ? ["active_existing"]
          : name === "b"
            ? ["archived_existing"]
            : names.indexOf(name) < n
              ? ["duplicate_in_request"]
              : [],
      )
      if (kinds.length === 0) return assert.isTrue(Result.isSuccess(change))
      const refused = refusal(change)
      assert.strictEqual(refused.code, "field_definition_collision")
      assert.deepStrictEqual(
        refused._tag === "FieldCollision" ? refused.conflicts.map((conflict) => conflict.kind) : [],
        kinds,
      )
    },
  )

  it("fill the workspace up to its limit of active ones, and not beyond", () => {
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

describe("the values that are shown", () => {
  it("are those of active fields, null where there is none, whatever the name", () => {
    const [text, none, gone, constructor] = made(["text", "none", "gone", "constructor"])
    if (!text || !none || !gone || !constructor) return assert.fail()
    const customFields = new Map([
      ["text", "x"],
      ["gone", "y"],
    ])
    const contact = newContact(ContactId.make(id(0)), { phone: "+14152000001", customFields }, "api", now)
    assert.deepStrictEqual(shownValues(contact, [text, none, archived(gone), constructor]), {
      text: "x",
      none: null,
      constructor: null,
    })
    assert.isNull(customValue(contact, "constructor"))
  })
})
