import { sizeIssues } from "@tentpole/core/kernel/SizeIssues"
import { Schema, SchemaGetter } from "effect"
import { assert, describe, it } from "vitest"

const Name = Schema.String.check(Schema.isMaxLength(3, { message: "must have at most 3 characters" }))
const Trimmed = Name.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text: string) => text.trim()),
    encode: SchemaGetter.transform((text: string) => text),
  }),
)
const Item = Schema.Struct({ name: Schema.optionalKey(Schema.NullOr(Trimmed)) })
const Items = Schema.Array(Item).check(Schema.isMaxLength(2, { message: "must have at most 2 items" }))
const Body = Schema.Union([Schema.Struct({ items: Items, name: Schema.optionalKey(Name) }), Schema.Undefined])

describe("sizeIssues", () => {
  it("finds texts and lists that are too long, with the message of the schema", { tags: ["attack/json-bomb"] }, () => {
    assert.deepStrictEqual(sizeIssues(Body, { items: [{}, { name: "long" }], name: "long" }), [
      { path: "items.1.name", message: "must have at most 3 characters" },
      { path: "name", message: "must have at most 3 characters" },
    ])
    assert.deepStrictEqual(sizeIssues(Body, { items: [{}, {}, {}] }), [
      { path: "items", message: "must have at most 2 items" },
    ])
  })

  it("finds nothing in values of another type and below the limits", () => {
    for (const value of [
      undefined,
      null,
      1,
      "long",
      [],
      {},
      { items: "long" },
      { items: [1, { name: null }], more: "long" },
    ]) {
      assert.deepStrictEqual(sizeIssues(Body, value), [])
    }
  })

  it("finds no issue that one member of a union does not have", () => {
    const either = Schema.Union([Name, Schema.String.check(Schema.isMaxLength(5))])
    assert.deepStrictEqual(sizeIssues(either, "long"), [])
    assert.strictEqual(sizeIssues(either, "longer").length, 1)
  })

  it("looks only at the member of a union that the value names", () => {
    const either = Schema.Union([
      Schema.Struct({ kind: Schema.Literal("one"), id: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("many"), ids: Schema.Array(Schema.String).check(Schema.isMaxLength(1)) }),
    ])
    assert.deepStrictEqual(sizeIssues(either, { kind: "one", ids: ["a", "b"] }), [])
    assert.strictEqual(sizeIssues(either, { kind: "many", ids: ["a", "b"] }).length, 1)
  })

  it("reads no item of a list that is too long", () => {
    const list = new Proxy([{}, {}, {}], {
      get: (target, key) => (key === "0" ? assert.fail("read an item") : (Reflect.get(target, key) as unknown)),
    })
    assert.strictEqual(sizeIssues(Body, { items: list }).length, 1)
  })
})
