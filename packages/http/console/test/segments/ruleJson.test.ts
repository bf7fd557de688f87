// Rules that were pasted, and rules in an address.
import type { RuleMetadata } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import { readRules, rulesInAddress } from "../../src/segments/ruleJson.ts"
import { finishedOf, isFinished, unfinishedIn, vocabularyOf } from "../../src/segments/vocabulary.ts"
import { contacts } from "../../src/words/en/contacts.ts"
import { segments } from "../../src/words/en/segments.ts"

const id = "00000000-0000-4000-8000-000000000001"
const plan = { field_definition_id: id, api_name: "plan", display_name: "Plan", value_type: "string" } as const

const metadata: RuleMetadata = {
  standard_fields: [
    {
      key: "leadStatus",
      api_name: "lead_status",
      display_name: "Lead status",
      value_type: "string",
      operators: ["equals", "is_empty"],
    },
    {
      key: "serviceScore",
      api_name: "service_score",
      display_name: "Score",
      value_type: "number",
      operators: ["equals"],
    },
  ],
  custom_fields: [{ ...plan, operators: ["equals", "is_empty"] }],
  activity: { activity_types: ["email_opened"], operators: ["has_activity"], time_window_units: ["day"] },
  list_membership: { operators: ["is_member", "is_not_member"] },
  topic: { operators: ["is_subscribed", "is_not_subscribed", "is_pending"] },
  email_step: { operators: ["has_activity"], metrics: ["opened"] },
  operator_aliases: { eq: "equals", empty: "is_empty", in_list: "is_member" },
  limits: { max_depth: 2, max_nodes: 4 },
}

const read = (json: unknown) => readRules(JSON.stringify(json), metadata, segments)
const lead = { kind: "condition", source: "contact", field: "lead_status", operator: "eq", value: "new" }

describe("readRules", () => {
  it("reads aliases, names and a condition alone as the service does", () => {
    const group = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", operator: "and", conditions })
    const canonical = { kind: "condition", source: "contact", field: "leadStatus", operator: "equals", value: "new" }
    assert.deepStrictEqual<unknown>(read(lead), { rules: group(canonical) })
    assert.deepStrictEqual<unknown>(read({ rules: { kind: "group", conditions: [lead] } }), { rules: group(canonical) })
    const custom = { kind: "condition", source: "custom_field", operator: "empty", value: null }
    assert.deepStrictEqual<unknown>(read({ ...custom, api_name: "plan" }), {
      rules: group({ kind: "condition", source: "custom_field", operator: "is_empty", fieldDefinitionId: id }),
    })
    const list = { kind: "condition", source: "list_membership", operator: "in_list", list_id: id }
    assert.deepStrictEqual<unknown>(read(list), {
      rules: group({ kind: "condition", source: "list_membership", operator: "is_member", listId: id }),
    })
  })

  it("says what is wrong and where", () => {
    assert.match(JSON.stringify(readRules("{", metadata, segments)), /not JSON/)
    assert.deepStrictEqual(readRules(" ", metadata, segments), { problem: segments.jsonEmpty })
    assert.deepStrictEqual(read([]), { problem: segments.jsonNode("rules") })
    assert.deepStrictEqual(read({ kind: "group", conditions: [] }), { problem: segments.jsonGroup("rules") })
    const other = { ...lead, source: "elsewhere" }
    const nested = { kind: "group", conditions: [lead, { kind: "group", conditions: [other] }] }
    assert.deepStrictEqual(read(nested), { problem: segments.jsonCondition("rules.conditions.1.conditions.0") })
    const unknown = { kind: "condition", source: "custom_field", api_name: "other", operator: "is_empty" }
    assert.deepStrictEqual(read(unknown), { problem: segments.jsonCondition("rules") })
  })

  it("refuses more nodes and levels than rules may have", () => {
    const deep = { kind: "group", conditions: [{ kind: "group", conditions: [{ kind: "group", conditions: [lead] }] }] }
    assert.deepStrictEqual(read(deep), { problem: segments.jsonLarge })
    assert.deepStrictEqual(read({ kind: "group", conditions: [lead, lead, lead, lead] }), {
      problem: segments.jsonLarge,
    })
    const two = { kind: "group", conditions: [lead, lead] }
    assert.deepStrictEqual(read({ kind: "group", conditions: [two, lead] }), { problem: segments.jsonLarge })
  })
})

describe("rulesInAddress", () => {
  it("drops what has not the shape of rules", () => {
    const rules = { kind: "group", operator: "and", conditions: [lead] }
    assert.strictEqual<unknown>(rulesInAddress(rules), rules)
    for (const other of [null, "x", [], lead, { kind: "group" }, { kind: "group", conditions: [{}] }]) {
      assert.isNull(rulesInAddress(other))
    }
  })
})

describe("unfinishedIn", () => {
  const vocabulary = vocabularyOf(metadata, { contacts, segments })
  const rule = (field: string, operator: string, value?: unknown) => ({ field, operator, value })

  it("names conditions without field or value, and empty groups", () => {
    const rules = [
      rule("contact:leadStatus", "equals", "new"),
      rule("contact:leadStatus", "is_empty"),
      rule("contact:leadStatus", "equals", ""),
      rule("", ""),
      { combinator: "or", rules: [] },
    ]
    assert.deepStrictEqual(unfinishedIn(vocabulary, { combinator: "and", rules }), [
      "conditions.2",
      "conditions.3",
      "conditions.4",
    ])
  })

  it("leaves the finished conditions", () => {
    const done = rule("contact:leadStatus", "equals", "new")
    const open = rule("contact:leadStatus", "equals", "")
    const query = { combinator: "or", rules: [open, done, { combinator: "and", rules: [open] }] }
    assert.deepStrictEqual(finishedOf(vocabulary, query), { combinator: "or", rules: [done] })
  })

  it("asks for a number, a list, and a whole period", () => {
    assert.isFalse(isFinished(vocabulary, rule("contact:serviceScore", "equals", "12x")))
    assert.isTrue(isFinished(vocabulary, rule("contact:serviceScore", "equals", 0)))
    assert.isFalse(isFinished(vocabulary, rule("list_membership:list", "is_member", "")))
    assert.isTrue(isFinished(vocabulary, rule("activity:email_opened", "has_activity")))
    assert.isFalse(isFinished(vocabulary, rule("activity:email_opened", "has_activity", { amount: null, unit: "day" })))
    assert.isTrue(isFinished(vocabulary, rule("activity:email_opened", "has_activity", { amount: 1, unit: "day" })))
    assert.isFalse(isFinished(vocabulary, rule("email_step:opened", "has_activity", "welcome")))
  })
})
