// Rule trees through the builder and back. The parser of the service decides which trees are valid, and what they mean.
import { ruleActivityTypes } from "@tentpole/core/contacts/Activity"
import { standardFields, type ValueType } from "@tentpole/core/contacts/ContactFields"
import { type Draw, drawFrom, sampled } from "@tentpole/core/contract"
import { FieldDefinitionId, ListId } from "@tentpole/core/kernel/Ids"
import {
  activityOperators,
  membershipOperators,
  rule_depth_max,
  rule_nodes_max,
  time_window_amount_max,
  timeWindowUnits,
  valueless,
  valueOperators,
} from "@tentpole/core/segments/Operators"
import { parseRules } from "@tentpole/core/segments/Parse"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import {
  leavesOf as leavesOfTree,
  type RuleCondition,
  type RuleNode,
  type RuleTree,
} from "@tentpole/core/segments/RuleTree"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  emptyGroupsOf,
  fromTree,
  leavesOf,
  levelsIn,
  nodesIn,
  numberOf,
  pathOf,
  placeOfIssue,
  toRules,
} from "../../src/segments/ruleTree.ts"

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`

const fields = (["string", "number", "boolean", "date", "tags"] as const).map((valueType, index): RuleField => ({
  id: FieldDefinitionId.make(idOf(index)),
  apiName: valueType,
  displayName: valueType,
  valueType,
  status: "active",
  provenanceProvider: null,
}))
const lists = [ListId.make(idOf(10)), ListId.make(idOf(11))]
const facts = { fields, staticLists: new Set(lists), topics: new Set<never>() }

const texts = ["Rome", " ", "0", "false", "null", "Ä–ß😀", "a:b", "contact:city", '"', "%_", "2026-05-01"]
const numbers = [0, 1, -1, 0.1 + 0.2, 2 ** 53, 1e21, 5e-324, -1.7976931348623157e308]
const dates = ["0001-01-01", "2024-02-29", "2026-05-01T12:30:00.000Z", "9999-12-31"]

const valueOf = (draw: Draw, type: ValueType) => {
  if (type === "number") return draw.of(numbers)
  if (type === "date") return draw.of(dates)
  return type === "tags"
    ? Array.from({ length: 1 + draw.below(3) }, () => draw.of(["vip", "gold", "a, b"]))
    : draw.of(texts)
}

const compared = (draw: Draw, type: ValueType) => {
  const operator = draw.of(valueOperators[type])
  return { operator, ...(valueless.has(operator) ? {} : { value: valueOf(draw, type) }) }
}

const conditionOf = (draw: Draw): RuleCondition => {
  const kind = "condition"
  const source = draw.of(["contact", "custom_field", "activity", "list_membership"] as const)
  switch (source) {
    case "contact": {
      const { key, valueType } = draw.of(standardFields)
      return { kind, source, field: key, ...compared(draw, valueType) }
    }
    case "custom_field": {
      const { id, valueType } = draw.of(fields)
      return { kind, source, fieldDefinitionId: id, ...compared(draw, valueType) }
    }
    case "activity": {
      const timeWindow = { amount: 1 + draw.below(time_window_amount_max), unit: draw.of(timeWindowUnits) }
      return {
        kind,
        source,
        activityType: draw.of(ruleActivityTypes),
        operator: draw.of(activityOperators),
        ...(draw.chance(0.5) ? { timeWindow } : {}),
      }
    }
    case "list_membership":
      return { kind, source, listId: draw.of(lists), operator: draw.of(membershipOperators) }
  }
}

const nodeOf = (draw: Draw, level: number): RuleNode =>
  draw.chance(0.3) && level < rule_depth_max ? treeOf(draw, level + 1) : conditionOf(draw)

const treeOf = (draw: Draw, level = 1): RuleTree => ({
  kind: "group",
  operator: draw.of(["and", "or"] as const),
  conditions: Array.from({ length: 1 + draw.below(4) }, () => nodeOf(draw, level)),
})

const trees_count = sampled(10_000)

describe("ruleTree", () => {
  it("returns each of thousands of random trees as it was, and as the service reads it", () => {
    const draw = drawFrom(20_261_126)
    let [groups, deepest] = [0, 0]
    for (let count = 0; count < trees_count; count++) {
      const tree = treeOf(draw)
      if (JSON.stringify(tree).split('"kind"').length - 1 > rule_nodes_max) continue
      const query = fromTree(tree)
      assert.deepStrictEqual<unknown>(toRules(query), tree)
      // The browser stores queries as JSON, for example in the address.
      const stored = JSON.parse(JSON.stringify(query)) as typeof query
      assert.deepStrictEqual<unknown>(Result.getOrThrow(parseRules(toRules(stored), facts)), tree)
      assert.deepStrictEqual(
        leavesOf(query).map(({ path }) => pathOf(path)),
        leavesOfTree(tree).map(({ path }) => path),
      )
      groups += nodesIn(query) - leavesOf(query).length
      deepest = Math.max(deepest, levelsIn(query))
    }
    assert.isAbove(groups, trees_count)
    assert.strictEqual(deepest, rule_depth_max)
  })

  it("leaves out values of operators that take none, and empty values", () => {
    const query = {
      combinator: "and",
      rules: [
        { field: "contact:city", operator: "is_empty", value: "Rome" },
        { field: "contact:city", operator: "equals", value: "" },
        { field: `custom_field:${idOf(4)}`, operator: "contains_any", value: [] },
        { field: "activity:email_opened", operator: "has_activity", value: undefined },
      ],
    }
    assert.deepStrictEqual<unknown>(toRules(query).conditions, [
      { kind: "condition", source: "contact", field: "city", operator: "is_empty" },
      { kind: "condition", source: "contact", field: "city", operator: "equals" },
      { kind: "condition", source: "custom_field", fieldDefinitionId: idOf(4), operator: "contains_any" },
      { kind: "condition", source: "activity", activityType: "email_opened", operator: "has_activity" },
    ])
  })

  it("keeps conditions on the emails of a flow", () => {
    const step = {
      kind: "condition",
      source: "email_step",
      nodeId: "welcome",
      metric: "opened",
      operator: "has_activity",
    } as const
    const query = fromTree({ kind: "group", operator: "or", conditions: [step] })
    assert.deepStrictEqual<unknown>(toRules(query).conditions, [step])
  })

  it("finds the place of an issue and empty groups", () => {
    const rules = [
      { field: "contact:city", operator: "equals", value: "Rome" },
      { combinator: "or", rules: [] },
    ]
    assert.deepStrictEqual(emptyGroupsOf({ combinator: "and", rules }), [[1]])
    assert.strictEqual(placeOfIssue("rules.conditions.0.conditions.12.value"), "conditions.0.conditions.12")
    assert.strictEqual(placeOfIssue("rules"), "")
    assert.strictEqual(numberOf("conditions.0.conditions.12"), "1.13")
  })
})
