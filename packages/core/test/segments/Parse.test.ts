import { assert, describe, it } from "@effect/vitest"
import { FieldDefinitionId, ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { operatorAliases, timeWindowUnits, valueless } from "@tentpole/core/segments/Operators"
import { referencesInJson, parseRules } from "@tentpole/core/segments/Parse"
import type { RuleFacts, RuleField } from "@tentpole/core/segments/RuleFacts"
import { RuleSchema } from "@tentpole/core/segments/RuleSchema"
import { Result } from "effect"

const field = (last: string, valueType: RuleField["valueType"], status: RuleField["status"] = "active"): RuleField => ({
  id: FieldDefinitionId.make(`00000000-0000-4000-8000-00000000000${last}`),
  apiName: `field_${last}`,
  displayName: `Field ${last}`,
  valueType,
  status,
  provenanceProvider: null,
})

const text = field("1", "string")
const number = field("2", "number")
const archived = field("3", "string", "archived")
const list = ListId.make("00000000-0000-4000-8000-0000000000aa")
const topicId = TopicId.make("00000000-0000-4000-8000-0000000000bb")
const tags = field("4", "tags")
const facts: RuleFacts = {
  fields: [text, number, archived, tags],
  staticLists: new Set([list]),
  topics: new Set([topicId]),
}

const issuesOf = (rules: unknown) => {
  const parsed = parseRules(rules, facts)
  return Result.isSuccess(parsed) ? [] : parsed.failure.issues
}
const pathsOf = (rules: unknown) => issuesOf(rules).map((issue) => issue.path)
const treeOf = (rules: unknown): unknown => Result.getOrThrow(parseRules(rules, facts))

const leaf = (field: unknown, operator: unknown, value?: unknown) => ({
  kind: "condition",
  source: "contact",
  field,
  operator,
  ...(value === undefined ? {} : { value }),
})
const all = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", operator: "and", conditions })
const nested = (levels: number): unknown => (levels === 0 ? leaf("city", "is_empty") : all(nested(levels - 1)))
const good = leaf("city", "equals", "Bern")

describe("Rule decoding", () => {
  it("returns a tree of canonical operators unchanged", () => {
    const tree = {
      kind: "group",
      operator: "or",
      conditions: [
        good,
        { kind: "condition", source: "custom_field", fieldDefinitionId: number.id, operator: "less_than", value: 5 },
        {
          kind: "condition",
          source: "activity",
          activityType: "email_opened",
          operator: "has_activity",
          timeWindow: { amount: 3650, unit: "month" },
        },
        all({ kind: "condition", source: "list_membership", listId: list, operator: "is_not_member" }),
      ],
    }
    assert.deepStrictEqual(treeOf(tree), tree)
  })

  it("joins a group without operator by and, and wraps a lone condition in a group", () => {
    assert.deepStrictEqual(treeOf({ kind: "group", conditions: [good] }), all(good))
    assert.deepStrictEqual(treeOf(good), all(good))
    assert.deepStrictEqual(pathsOf(leaf("nope", "equals", "x")), ["rules.field"])
  })

  it("turns every documented alias into its canonical operator, and knows no other", () => {
    const promised: Readonly<Record<string, string>> = {
      equals: "eq is",
      not_equals: "neq ne is_not",
      greater_than: "gt",
      greater_than_or_equal: "gte",
      less_than: "lt",
      less_than_or_equal: "lte",
      contains: "includes",
      not_contains: "excludes",
      starts_with: "begins_with",
      is_empty: "empty is_blank is_unknown not_exists",
      is_not_empty: "not_empty is_present is_known exists",
      is_true: "true",
      is_false: "false",
      is_member: "member_of in_list",
      is_not_member: "not_member_of not_in_list",
      has_activity: "occurred did has_done",
      has_no_activity: "not_occurred did_not has_not_done",
    }
    const conditions = (operator: string) => [
      leaf("city", operator, "x"),
      leaf("serviceScore", operator, 1),
      leaf("createdAt", operator, "2026-05-01"),
      leaf("unsubscribed", operator),
      { kind: "condition", source: "list_membership", listId: list, operator },
      { kind: "condition", source: "activity", activityType: "list_added", operator },
    ]
    for (const [canonical, aliases] of Object.entries(promised)) {
      for (const alias of aliases.split(" ")) {
        const readings = (operator: string) => conditions(operator).map((it) => Result.getOrNull(parseRules(it, facts)))
        const read = readings(alias)
        assert.deepStrictEqual(read, readings(canonical), alias)
        const operators = read.flatMap((tree) => tree?.conditions ?? []).map((it) => "operator" in it && it.operator)
        assert.deepStrictEqual([...new Set(operators)], [canonical], alias)
      }
    }
    const all = Object.values(promised).flatMap((aliases) => aliases.split(" "))
    assert.sameMembers([...operatorAliases.keys()], all)
  })

  it("accepts plural units of time", () => {
    const rules = (unit: string) =>
      all({
        kind: "condition",
        source: "activity",
        activityType: "email_sent",
        operator: "did",
        timeWindow: { amount: 1, unit },
      })
    assert.deepStrictEqual(treeOf(rules("days")), treeOf(rules("day")))
    assert.deepStrictEqual(pathsOf(rules("fortnight")), ["rules.conditions.0.timeWindow.unit"])
  })

  it("requires a whole amount and a unit for a time window, and nothing else", () => {
    const windowed = (timeWindow: unknown) =>
      pathsOf({ kind: "condition", source: "activity", activityType: "email_sent", operator: "did", timeWindow })
    for (const amount of [1, 3650])
      for (const unit of timeWindowUnits) assert.deepStrictEqual(windowed({ amount, unit }), [])
    for (const amount of [0, 3651, -1, 1.5, "1", null, [1], Infinity, undefined]) {
      assert.deepStrictEqual(windowed({ amount, unit: "day" }), ["rules.timeWindow.amount"], String(amount))
    }
    for (const unit of ["", "Day", "years", "dayss", "__proto__", null, ["day"], undefined]) {
      assert.deepStrictEqual(windowed({ amount: 1, unit }), ["rules.timeWindow.unit"], String(unit))
    }
    for (const none of [null, "day", 5, [], [1, "day"]]) {
      assert.deepStrictEqual(windowed(none), ["rules.timeWindow"], JSON.stringify(none))
    }
    assert.deepStrictEqual(windowed({ amount: 0, unit: "x", from: 1 }), [
      "rules.timeWindow.from",
      "rules.timeWindow.amount",
      "rules.timeWindow.unit",
    ])
  })

  it("drops the value of an operator without one, and lowers the case of ids", () => {
    for (const value of ["x", "", null, 5, false, [], { deep: [{}] }]) {
      for (const operator of valueless) {
        const about = operator.endsWith("empty") ? "city" : "unsubscribed"
        assert.deepStrictEqual(treeOf({ ...leaf(about, operator), value }), all(leaf(about, operator)))
      }
      const member = { kind: "condition", source: "list_membership", listId: list, operator: "is_member" }
      assert.deepStrictEqual(treeOf({ ...member, listId: list.toUpperCase(), operator: "in_list", value }), all(member))
      const opened = { kind: "condition", source: "activity", activityType: "email_opened", operator: "has_activity" }
      assert.deepStrictEqual(treeOf({ ...opened, value }), all(opened))
      const custom = { kind: "condition", source: "custom_field", fieldDefinitionId: text.id, operator: "is_not_empty" }
      assert.deepStrictEqual(
        treeOf({ ...custom, fieldDefinitionId: text.id.toUpperCase(), operator: "exists", value }),
        all(custom),
      )
    }
  })

  it("requires an array of words for tags, and only for tags", () => {
    const about = ({ id }: RuleField, operator: string, value?: unknown) => ({
      kind: "condition",
      source: "custom_field",
      fieldDefinitionId: id,
      operator,
      value,
    })
    const rule = about(tags, "contains_any", ["vip", "gold"])
    assert.deepStrictEqual(treeOf(rule), all(rule))
    for (const none of [undefined, null, "", []]) {
      assert.deepStrictEqual(issuesOf(about(tags, "contains_all", none)), [
        { path: "rules.value", message: "is required by contains_all" },
      ])
    }
    for (const value of [
      "vip",
      5,
      [5],
      [" "],
      ["a\0"],
      ["x".repeat(101)],
      Array.from({ length: 101 }, (_, at) => `w${at}`),
    ]) {
      assert.deepStrictEqual(pathsOf(about(tags, "contains_none", value)), ["rules.value"], JSON.stringify(value))
    }
    for (const operator of ["equals", "contains", "is_true"]) {
      assert.deepStrictEqual(pathsOf(about(tags, operator, ["vip"])), ["rules.operator"], operator)
    }
    assert.deepStrictEqual(pathsOf(about(text, "contains_any", ["vip"])), ["rules.operator"])
    assert.deepStrictEqual(pathsOf(about(text, "equals", ["vip"])), ["rules.value"])
  })

  it("requires one value of the field's type, without conversion from text", () => {
    const wrong = {
      city: [5, true, ["x"], { equals: "x" }, "\0", "a\ud800", "x".repeat(10_001)],
      serviceScore: ["5", "", "1e3", true, [5], {}, NaN, Infinity, -Infinity, JSON.parse("1e309"), "2026-05-01"],
      createdAt: [5, 1777593600000, true, ["2026-05-01"], {}, "2026-02-30", "2026-05-01T24:00:00Z", "10000-01-01"],
    }
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of [...values, "", null, undefined]) {
        for (const operator of ["equals", "not_equals"]) {
          assert.deepStrictEqual(pathsOf(leaf(field, operator, value)), ["rules.value"], `${field} ${String(value)}`)
        }
      }
    }
    const custom = (value: unknown) => ({
      kind: "condition",
      source: "custom_field",
      fieldDefinitionId: number.id,
      operator: "gte",
      value,
    })
    for (const value of ["5", Infinity, [5], null]) assert.deepStrictEqual(pathsOf(custom(value)), ["rules.value"])
    for (const value of [0, -0, 5e-324, -1.7976931348623157e308, 2 ** 53])
      assert.deepStrictEqual(pathsOf(custom(value)), [])
    assert.deepStrictEqual(pathsOf(leaf("city", "equals", " ")), [])
  })

  it("accepts no names that every object has", { tags: ["attack/rule-tree"] }, () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const own = (value: unknown): object => JSON.parse(`{"${name}":${JSON.stringify(value)}}`)
      const merged = (it: object) => Object.defineProperty({ ...it }, name, { value: "x", enumerable: true })
      assert.deepStrictEqual(pathsOf(leaf(name, "equals", "x")), ["rules.field"])
      assert.deepStrictEqual(pathsOf(leaf("city", name, "x")), ["rules.operator"])
      assert.deepStrictEqual(pathsOf({ kind: name }), ["rules.kind"])
      assert.deepStrictEqual(pathsOf({ kind: "condition", source: name }), ["rules.source"])
      assert.deepStrictEqual(pathsOf({ kind: "group", operator: name, conditions: [good] }), ["rules.operator"])
      assert.deepStrictEqual(pathsOf(own(good)), ["rules.kind"])
      assert.deepStrictEqual(pathsOf(merged(good)), [`rules.${name}`])
      assert.deepStrictEqual(pathsOf(merged(all(good))), [`rules.${name}`])
      assert.deepStrictEqual(pathsOf(leaf("city", "equals", own("x"))), ["rules.value"])
      const named = { kind: "condition", source: "custom_field", fieldDefinitionId: name, operator: "is_empty" }
      assert.deepStrictEqual(pathsOf(named), ["rules.fieldDefinitionId"])
      assert.deepStrictEqual(referencesInJson(all(named, own(all(named)))), {
        fields: [],
        lists: [],
        topics: [],
        fieldNames: [],
      })
      const did = { kind: "condition", source: "activity", activityType: name, operator: "did" }
      assert.deepStrictEqual(pathsOf(did), ["rules.activityType"])
    }
    assert.isUndefined(Reflect.get({}, "x"))
  })

  it("refuses conditions on a flow's own emails at any depth", () => {
    const step = { kind: "condition", source: "email_step", nodeId: "a", metric: "opened", operator: "has_activity" }
    assert.deepStrictEqual(pathsOf(step), ["rules.source"])
    assert.deepStrictEqual(pathsOf(all(good, all(step, step))), [
      "rules.conditions.1.conditions.0.source",
      "rules.conditions.1.conditions.1.source",
    ])
    assert.include(issuesOf(step)[0]?.message, "flow")
  })

  it("requires a non-empty array of conditions in a group", () => {
    for (const conditions of [undefined, null, {}, "x", 5, [], { 0: good, length: 1 }]) {
      assert.deepStrictEqual(pathsOf({ kind: "group", conditions }), ["rules.conditions"], JSON.stringify(conditions))
    }
    for (const operator of [null, "", "AND", "not", 5, ["and"]]) {
      assert.deepStrictEqual(pathsOf({ kind: "group", operator, conditions: [good] }), ["rules.operator"])
    }
  })

  it("reports all issues at once, each at its path", { tags: ["attack/rule-tree"] }, () => {
    const rules = {
      kind: "group",
      operator: "xor",
      bogus: 1,
      conditions: [
        leaf("constructor", "equals", "x"),
        leaf("city", "greater_than", "x"),
        leaf("city", "equals", ""),
        leaf("city", "equals", null),
        leaf("city", "equals", 5),
        leaf("serviceScore", "gt", "5"),
        leaf("createdAt", "equals", "2026-02-30"),
        leaf("unsubscribed", "equals", true),
        { ...good, extra: true },
        { kind: "condition", source: "email_step", nodeId: "a", metric: "opened", operator: "has_activity" },
        { kind: "condition", source: "custom_field", fieldDefinitionId: archived.id, operator: "is_empty" },
        { kind: "condition", source: "custom_field", fieldDefinitionId: "x", operator: "constructor" },
        { kind: "condition", source: "list_membership", listId: text.id, operator: "member_of" },
        { kind: "condition", source: "activity", activityType: "toString", operator: "has", timeWindow: { amount: 0 } },
        all(),
        7,
        [],
        { kind: "leaf" },
        { kind: "condition", source: "__proto__" },
      ],
    }
    const at = (path: string) => `rules.conditions.${path}`
    assert.deepStrictEqual([...pathsOf(rules)].sort(), [
      "rules.bogus",
      at("0.field"),
      at("1.operator"),
      at("10.fieldDefinitionId"),
      at("11.fieldDefinitionId"),
      at("11.operator"),
      at("12.listId"),
      at("13.activityType"),
      at("13.operator"),
      at("13.timeWindow.amount"),
      at("13.timeWindow.unit"),
      at("14.conditions"),
      at("15"),
      at("16"),
      at("17.kind"),
      at("18.source"),
      at("2.value"),
      at("3.value"),
      at("4.value"),
      at("5.value"),
      at("6.value"),
      at("7.operator"),
      at("8.extra"),
      at("9.source"),
      "rules.operator",
    ])
  })

  it("refuses a value that is no object at its root", () => {
    for (const rules of [null, undefined, 5, "x", [], [good]]) assert.deepStrictEqual(pathsOf(rules), ["rules"])
  })

  it("accepts five levels of groups, not six; a condition is no level", () => {
    assert.deepStrictEqual(pathsOf(nested(5)), [])
    assert.deepStrictEqual(pathsOf(nested(6)), [
      "rules.conditions.0.conditions.0.conditions.0.conditions.0.conditions.0",
    ])
  })

  it("accepts a hundred groups and conditions, and not one more", () => {
    const leaves = (count: number) => Array.from({ length: count }, () => good)
    assert.deepStrictEqual(pathsOf(all(...leaves(99))), [])
    assert.deepStrictEqual(pathsOf(all(...leaves(100))), ["rules"])
    assert.deepStrictEqual(pathsOf(all(all(...leaves(49)), all(...leaves(48)))), [])
    assert.deepStrictEqual(pathsOf(all(all(...leaves(49)), all(...leaves(49)))), ["rules"])
  })

  it("stops at endless depth and endless width", { tags: ["attack/rule-tree"] }, () => {
    let deep: unknown = good
    for (let level = 0; level < 200_000; level++) deep = { kind: "group", conditions: [deep] }
    assert.strictEqual(issuesOf(deep).length, 1)
    assert.deepStrictEqual(referencesInJson(deep), { fields: [], lists: [], topics: [], fieldNames: [] })
    const wide = { kind: "group", conditions: Array.from({ length: 300_000 }, () => leaf("nope", "nope")) }
    assert.isBelow(issuesOf(wide).length, 250)
    assert.strictEqual(issuesOf(wide)[0]?.path, "rules")
    const keyed = { ...good, ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 1])) }
    assert.isAtMost(issuesOf(keyed).length, 1001)
  })

  it("finds names in every well-formed condition, also of a tree with issues", () => {
    const custom = { kind: "condition", source: "custom_field", operator: "is_empty" }
    const rules = all(
      { ...custom, fieldDefinitionId: text.id.toUpperCase() },
      all(
        { ...custom, fieldDefinitionId: text.id },
        { kind: "condition", source: "list_membership", listId: list, operator: "in_list" },
        { ...custom, fieldDefinitionId: number.id, operator: 5 },
      ),
      { listId: "nonsense" },
    )
    assert.deepStrictEqual(referencesInJson(rules), { fields: [text.id], lists: [list], topics: [], fieldNames: [] })
  })

  it("accepts a day and a timestamp with zone as dates, and no timestamp without one", () => {
    for (const value of [
      "2026-05-01",
      "2024-02-29",
      "2026-05-01T09:30:00Z",
      "2026-05-01T09:30:00.123+02:00",
      "0001-01-01",
    ]) {
      assert.deepStrictEqual(pathsOf(leaf("createdAt", "lt", value)), [], value)
    }
    for (const value of ["2026-05-01T09:30:00", "2026-02-29", "yesterday", "0000-01-01", 5, "1", "2026-5-1"]) {
      assert.deepStrictEqual(pathsOf(leaf("createdAt", "lt", value)), ["rules.value"], String(value))
    }
  })

  it.prop(
    "decodes or refuses anything in the shape of rules, and decodes its result to itself",
    { rules: RuleSchema },
    ({ rules }) => {
      const parsed = parseRules(rules, facts)
      if (Result.isSuccess(parsed)) assert.deepStrictEqual(treeOf(parsed.success), parsed.success)
      else for (const { path } of parsed.failure.issues) assert.match(path, /^rules(\.|$)/)
    },
  )
})
