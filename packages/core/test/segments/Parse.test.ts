import { assert, describe, it } from "@effect/vitest"
import { FieldDefinitionId, ListId } from "@tentpole/core/Ids"
import { operatorAliases, valueOperators } from "@tentpole/core/segments/Operators"
import { parseRules } from "@tentpole/core/segments/Parse"
import type { RuleFacts, RuleField } from "@tentpole/core/segments/RuleFacts"
import { mentionedIn } from "@tentpole/core/segments/RuleTree"
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
const facts: RuleFacts = { fields: [text, number, archived], staticLists: new Set([list]) }

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

describe("parsing rules", () => {
  it("a tree of canonical words is handed back as it is", () => {
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

  it("a group without operator joins by and, a lone condition is put into a group", () => {
    assert.deepStrictEqual(treeOf({ kind: "group", conditions: [good] }), all(good))
    assert.deepStrictEqual(treeOf(good), all(good))
    assert.deepStrictEqual(pathsOf(leaf("nope", "equals", "x")), ["rules.field"])
  })

  it("every alias becomes its canonical operator", () => {
    for (const [alias, canonical] of operatorAliases) {
      const type = (Object.keys(valueOperators) as Array<keyof typeof valueOperators>).find((each) =>
        valueOperators[each].some((operator) => operator === canonical),
      )
      const condition =
        canonical === "is_member" || canonical === "is_not_member"
          ? { kind: "condition", source: "list_membership", listId: list, operator: alias }
          : type === undefined
            ? { kind: "condition", source: "activity", activityType: "list_added", operator: alias }
            : type === "boolean"
              ? leaf("unsubscribed", alias)
              : type === "number"
                ? leaf("serviceScore", alias, 1)
                : leaf("city", alias, "x")
      const [parsed] = Result.getOrThrow(parseRules(condition, facts)).conditions
      assert.strictEqual(parsed?.kind === "condition" ? parsed.operator : undefined, canonical, alias)
    }
  })

  it("a unit of time is read in the plural too", () => {
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

  it("a value beside an operator that takes none is dropped, ids lose their capitals", () => {
    assert.deepStrictEqual(treeOf(all(leaf("city", "is_empty", "x"))), all(leaf("city", "is_empty")))
    const shouted = {
      kind: "condition",
      source: "list_membership",
      listId: list.toUpperCase(),
      operator: "in_list",
      value: 1,
    }
    assert.deepStrictEqual(
      treeOf(all(shouted)),
      all({ kind: "condition", source: "list_membership", listId: list, operator: "is_member" }),
    )
  })

  it("everything that is wrong is told at once, each at its path", () => {
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

  it("what is no object is refused at its root", () => {
    for (const rules of [null, undefined, 5, "x", [], [good]]) assert.deepStrictEqual(pathsOf(rules), ["rules"])
  })

  it("five levels of groups are taken, six are not; a condition is no level", () => {
    assert.deepStrictEqual(pathsOf(nested(5)), [])
    assert.deepStrictEqual(pathsOf(nested(6)), [
      "rules.conditions.0.conditions.0.conditions.0.conditions.0.conditions.0",
    ])
  })

  it("a hundred groups and conditions are taken, one more is not", () => {
    const leaves = (count: number) => Array.from({ length: count }, () => good)
    assert.deepStrictEqual(pathsOf(all(...leaves(99))), [])
    assert.deepStrictEqual(pathsOf(all(...leaves(100))), ["rules"])
    assert.deepStrictEqual(pathsOf(all(all(...leaves(49)), all(...leaves(48)))), [])
    assert.deepStrictEqual(pathsOf(all(all(...leaves(49)), all(...leaves(49)))), ["rules"])
  })

  it("neither endless depth nor endless width is followed", () => {
    let deep: unknown = good
    for (let level = 0; level < 200_000; level++) deep = { kind: "group", conditions: [deep] }
    assert.strictEqual(issuesOf(deep).length, 1)
    assert.deepStrictEqual(mentionedIn(deep), { fields: [], lists: [] })
    const wide = { kind: "group", conditions: Array.from({ length: 300_000 }, () => leaf("nope", "nope")) }
    assert.isBelow(issuesOf(wide).length, 250)
    assert.strictEqual(issuesOf(wide)[0]?.path, "rules")
    const keyed = { ...good, ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 1])) }
    assert.isAtMost(issuesOf(keyed).length, 1001)
  })

  it("what a tree mentions is found in it, right or wrong", () => {
    const rules = all(
      { kind: "condition", source: "custom_field", fieldDefinitionId: text.id.toUpperCase() },
      all({ kind: "condition", source: "custom_field", fieldDefinitionId: text.id, operator: 5 }, { listId: list }),
      { listId: "nonsense" },
    )
    assert.deepStrictEqual(mentionedIn(rules), { fields: [text.id], lists: [list] })
  })

  it("a day and a timestamp with zone are dates, a timestamp without one is not", () => {
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
    "whatever has the shape of rules is read or refused, and what is read reads as itself",
    { rules: RuleSchema },
    ({ rules }) => {
      const parsed = parseRules(rules, facts)
      if (Result.isSuccess(parsed)) assert.deepStrictEqual(treeOf(parsed.success), parsed.success)
      else for (const { path } of parsed.failure.issues) assert.match(path, /^rules(\.|$)/)
    },
  )
})
