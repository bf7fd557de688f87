// The choice of event types.
import { assert, describe, it } from "vitest"
import { groupOf, groupsOf, typesOf, withGroup, withType } from "../../src/webhooks/patterns.ts"

const types = ["contact.created", "contact.deleted", "flow.activated", "flow.member.entered"]

describe("patterns of event types", () => {
  it("take a type, a group of types, or all", () => {
    assert.deepStrictEqual(typesOf(["contact.*"], types), ["contact.created", "contact.deleted"])
    assert.deepStrictEqual(typesOf(["flow.member.*", "contact.deleted"], types), [
      "contact.deleted",
      "flow.member.entered",
    ])
    assert.deepStrictEqual(typesOf(["*"], types), types)
    assert.deepStrictEqual(typesOf([], types), [])
  })

  it("belong to the group before the first dot", () => {
    assert.strictEqual(groupOf("flow.member.*"), "flow")
    assert.deepStrictEqual([...groupsOf(types).keys()], ["contact", "flow"])
  })

  it("take a whole group, or none of it", () => {
    assert.deepStrictEqual(withGroup(["flow.member.*", "contact.created"], "flow", true), ["contact.created", "flow.*"])
    assert.deepStrictEqual(withGroup(["flow.*", "contact.created"], "flow", false), ["contact.created"])
  })

  it("name the other types of a group that loses one", () => {
    assert.deepStrictEqual(withType(["flow.*"], types, { type: "flow.activated", isOn: false }), [
      "flow.member.entered",
    ])
    assert.deepStrictEqual(withType(["contact.created"], types, { type: "contact.deleted", isOn: true }), [
      "contact.created",
      "contact.deleted",
    ])
  })
})
