// The fields of the data of an event, from its JSON Schema.
import { assert, describe, it } from "vitest"
import { fieldsOf } from "../../src/webhooks/catalogue/schemaFields.ts"

const text = { type: "string" }
const id = { type: "string", format: "uuid" }

describe("the fields of a schema", () => {
  it("have a path, what they contain, and whether they may be null or absent", () => {
    const schema = {
      type: "object",
      properties: {
        contact: { type: "object", description: "Who", properties: { contact_id: id }, required: ["contact_id"] },
        email: { anyOf: [text, { type: "null" }] },
        kind: { type: "string", enum: ["hard", "soft"] },
        truncated: { type: "boolean" },
      },
      required: ["contact", "email", "kind"],
    }
    assert.deepStrictEqual(
      fieldsOf(schema).map(({ isAlways, isNullable, kinds, path, values }) => [
        path,
        [...kinds, ...values],
        isNullable,
        isAlways,
      ]),
      [
        ["contact", ["object"], false, true],
        ["contact.contact_id", ["id"], false, true],
        ["email", ["text"], true, true],
        ["kind", ["hard", "soft"], false, true],
        ["truncated", ["boolean"], false, false],
      ],
    )
    assert.strictEqual(fieldsOf(schema)[0]?.description, "Who")
  })

  it("of objects in a list have its path", () => {
    const item = { type: "object", properties: { field: text }, required: ["field"] }
    const schema = { type: "object", properties: { changes: { type: "array", items: item } }, required: ["changes"] }
    assert.deepStrictEqual(
      fieldsOf(schema).map(({ path }) => path),
      ["changes", "changes[].field"],
    )
  })

  it("of one of several objects may be absent, and its kinds are together", () => {
    const of = (kind: string, own: string) => ({
      type: "object",
      properties: { kind: { enum: [kind] }, [own]: id },
      required: ["kind", own],
    })
    const source = { anyOf: [of("blast", "blast_id"), of("flow", "flow_id")] }
    assert.deepStrictEqual(
      fieldsOf({ type: "object", properties: { source }, required: ["source"] }).map(({ isAlways, path, values }) => [
        path,
        values.join(" "),
        isAlways,
      ]),
      [
        ["source", "", true],
        ["source.kind", "blast flow", true],
        ["source.blast_id", "", false],
        ["source.flow_id", "", false],
      ],
    )
  })
})
