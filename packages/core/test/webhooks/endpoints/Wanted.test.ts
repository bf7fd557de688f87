import { eventTypeNames } from "@tentpole/core/webhooks/EventCatalogue"
import { isEventPattern, typesOf, wants } from "@tentpole/core/webhooks/endpoints/Wanted"
import { filterKeys, type WebhookFilter } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const AnyType = Schema.Literals(eventTypeNames)
const AnyIds = Schema.Array(Schema.Literals(["a", "b", "c"])).check(Schema.isMinLength(1))
const AnyPattern = Schema.Union([AnyType, Schema.Literals(["*", "contact.*", "email.*", "flow.*", "flow.member.*"])])
const AnyPatterns = Schema.Array(AnyPattern).check(Schema.isMinLength(1))
const AnyFilter = Schema.Struct({
  list_ids: Schema.optionalKey(AnyIds),
  blast_ids: Schema.optionalKey(AnyIds),
  topic_ids: Schema.optionalKey(AnyIds),
})
const AnyData = Schema.Struct({
  list_id: Schema.optionalKey(Schema.Literals(["a", "b", "x"])),
  source: Schema.optionalKey(Schema.Struct({ blast_id: Schema.Literals(["a", "b", "x"]) })),
  topic_id: Schema.optionalKey(Schema.NullOr(Schema.Literals(["a", "x"]))),
})

const all = (filter: WebhookFilter | null) => ({ eventTypes: ["*"], filter }) as const
const passes = (filter: WebhookFilter, data: object) =>
  wants(all(filter), { type: "contact.created", data: { ...data } })

describe("the types that an endpoint wants", () => {
  it("are a type, the types of a group, or all", () => {
    assert.deepStrictEqual(typesOf("contact.created"), ["contact.created"])
    assert.sameMembers(
      [...typesOf("flow.member.*")],
      eventTypeNames.filter((type) => type.startsWith("flow.member.")),
    )
    assert.includeMembers([...typesOf("flow.*")], ["flow.activated", "flow.member.entered"])
    assert.sameMembers([...typesOf("*")], [...eventTypeNames])
    for (const none of ["", "contact", "contact.", "contact*", "con.*", ".*", "**", "contact.created.*", "__proto__"]) {
      assert.isFalse(isEventPattern(none), none)
    }
  })

  it.prop("are those of each pattern", [AnyPatterns, AnyType], ([eventTypes, type]) => {
    const wanted = wants({ eventTypes, filter: null }, { type, data: {} })
    return wanted === eventTypes.some((pattern) => typesOf(pattern).includes(type))
  })
})

describe("the filter of an endpoint", () => {
  it("passes an event that has one of the ids of each key, in its data or in its source", () => {
    assert.isTrue(passes({ list_ids: ["a", "b"] }, { list_id: "b" }))
    assert.isFalse(passes({ list_ids: ["a", "b"] }, { list_id: "c" }))
    assert.isFalse(passes({ list_ids: ["a"] }, {}))
    assert.isTrue(passes({ blast_ids: ["a"] }, { source: { kind: "blast", blast_id: "a" } }))
    assert.isTrue(passes({ flow_ids: ["a"], list_ids: ["b"] }, { flow_id: "a", list_id: "b" }))
    assert.isFalse(passes({ flow_ids: ["a"], list_ids: ["b"] }, { flow_id: "a", list_id: "a" }))
    for (const key of filterKeys) {
      assert.isTrue(passes({ [key]: ["a"] }, { [key.slice(0, -1)]: "a" }), key)
      assert.isFalse(passes({ [key]: ["a"] }, { [key.slice(0, -1)]: "b" }), key)
    }
    assert.isTrue(passes({}, {}))
  })

  it("passes an event that has all its tags, as values of its own", () => {
    assert.isTrue(passes({ tags: { kind: "receipt" } }, { tags: { kind: "receipt", shop: "a" } }))
    assert.isFalse(passes({ tags: { kind: "receipt", shop: "b" } }, { tags: { kind: "receipt", shop: "a" } }))
    assert.isFalse(passes({ tags: { kind: "receipt" } }, {}))
    assert.isFalse(passes({ tags: { tostring: "x" } }, { tags: {} }))
    const inherited: unknown = Object.create({ list_id: "a", tags: { kind: "receipt" } })
    assert.isFalse(wants(all({ list_ids: ["a"] }), { type: "list.created", data: inherited as object as {} }))
    assert.isFalse(wants(all({ tags: { kind: "receipt" } }), { type: "list.created", data: inherited as object as {} }))
  })

  it.prop("wants less with each key", [AnyFilter, AnyData], ([filter, data]) => {
    const { list_ids: _, ...fewer } = filter
    return !passes(filter, data) || passes(fewer, data)
  })

  it.prop("wants what each of its keys wants", [AnyFilter, AnyData], ([filter, data]) => {
    const each = Object.entries(filter).every(([key, ids]) => passes({ [key]: ids }, data))
    return passes(filter, data) === each
  })
})
