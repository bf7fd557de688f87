import { assert, describe, it } from "@effect/vitest"
import { FieldDefinitionId, ListId } from "@tentpole/core/kernel/Ids"
import { referencesInJson, parseRules } from "@tentpole/core/segments/Parse"
import type { RuleFacts, RuleField } from "@tentpole/core/segments/RuleFacts"
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
const facts: RuleFacts = { fields: [text, number, archived], staticLists: new Set([list]), topics: new Set() }

const issuesOf = (rules: unknown) => {
  const parsed = parseRules(rules, facts)
  return Result.isSuccess(parsed) ? [] : parsed.failure.issues
}
const treeOf = (rules: unknown): unknown => Result.getOrThrow(parseRules(rules, facts))

const leaf = (field: unknown, operator: unknown, value?: unknown) => ({
  kind: "condition",
  source: "contact",
  field,
  operator,
  ...(value === undefined ? {} : { value }),
})
const all = (...conditions: ReadonlyArray<unknown>) => ({ kind: "group", operator: "and", conditions })

describe("Names in rules", () => {
  it("reads keys and standard fields in snake_case and custom fields by api_name, and returns the description's spelling", () => {
    const custom = { kind: "condition", source: "custom_field", operator: "is_empty" }
    const written = all(
      leaf("zip_code", "equals", "3000"),
      { ...custom, api_name: number.apiName },
      { ...custom, field_definition_id: text.id },
      {
        kind: "condition",
        source: "activity",
        activity_type: "email_opened",
        operator: "did",
        time_window: { amount: 30, unit: "days" },
      },
      { kind: "condition", source: "list_membership", list_id: list, operator: "in_list" },
    )
    assert.deepStrictEqual(referencesInJson(written), {
      fields: [text.id],
      lists: [list],
      topics: [],
      fieldNames: [number.apiName],
    })
    assert.deepStrictEqual(
      treeOf(written),
      all(
        leaf("zipCode", "equals", "3000"),
        { ...custom, fieldDefinitionId: number.id },
        { ...custom, fieldDefinitionId: text.id },
        {
          kind: "condition",
          source: "activity",
          activityType: "email_opened",
          operator: "has_activity",
          timeWindow: { amount: 30, unit: "day" },
        },
        { kind: "condition", source: "list_membership", listId: list, operator: "is_member" },
      ),
    )
  })

  it("refuses a key in both spellings, and a name with a wrong source, and names the right source", () => {
    const custom = { kind: "condition", source: "custom_field", operator: "is_empty" }
    assert.deepStrictEqual(
      issuesOf(
        all(
          leaf("field_2", "equals", 5),
          { ...custom, api_name: "zip_code" },
          { ...custom, api_name: "nope" },
          { ...custom, api_name: "field_2", fieldDefinitionId: number.id },
          { ...custom, fieldDefinitionId: text.id, field_definition_id: text.id },
          { ...custom, api_name: archived.apiName },
          { ...custom, api_name: number.apiName, operator: "contains", value: "5" },
        ),
      ).map(({ path, message }) => `${path} ${message.slice(0, 46)}`),
      [
        'rules.conditions.0.field "field_2" is a custom field: use source "custo',
        'rules.conditions.1.api_name "zip_code" is a standard field: use source "co',
        "rules.conditions.2.api_name is not the api_name of a custom field of this ",
        "rules.conditions.3.api_name is not the api_name of a custom field of this ",
        "rules.conditions.4.field_definition_id is not a key here; known are kind, source, fie",
        "rules.conditions.5.fieldDefinitionId is the archived field field_3; restore it firs",
        "rules.conditions.6.operator must be one of equals, not_equals, greater_tha",
      ],
    )
  })
})
