// Tests that the rule metadata in the API describes exactly what the decoder accepts.
import { assert, describe, it } from "@effect/vitest"
import { valueTypes } from "@tentpole/core/contacts/ContactFields"
import { type CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import { FieldDefinitionId, ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { everyValueOperator } from "@tentpole/core/segments/Operators"
import { parseRules } from "@tentpole/core/segments/Parse"
import { DateTime, Result } from "effect"
import { toRuleMetadata } from "@tentpole/http/api/segments/RuleMetadataWire"

const now = DateTime.makeUnsafe(0)
const list = ListId.make("00000000-0000-4000-8000-0000000000aa")
const topic = TopicId.make("00000000-0000-4000-8000-0000000000bb")

const made = Result.getOrThrow(
  FieldChange.create(
    valueTypes.map((valueType) => ({
      apiName: `a_${valueType}`,
      displayName: `A ${valueType}`,
      valueType,
      isEditable: true,
      description: null,
      showInPeopleListDefault: false,
    })),
    {
      existing: [],
      ids: valueTypes.map((_, n) => FieldDefinitionId.make(`00000000-0000-4000-8000-00000000000${n}`)),
      now,
    },
    { provenanceKind: "api", pathOf: () => "" },
  ),
).creates
const gone: CustomField = {
  ...(made[0] ?? assert.fail()),
  id: FieldDefinitionId.make("00000000-0000-4000-8000-000000000009"),
  status: "archived",
}

const metadata = toRuleMetadata(made)
const takes = (condition: object): boolean =>
  Result.isSuccess(
    parseRules(
      { kind: "condition", ...condition },
      { fields: [...made, gone], staticLists: new Set([list]), topics: new Set([topic]) },
    ),
  )
const values = { string: "x", number: 1, boolean: "x", date: "2026-05-01", tags: ["x"] }

describe("Rule metadata", () => {
  it("names the operators that the decoder accepts for each field, and no other", () => {
    assert.deepStrictEqual(
      metadata.custom_fields.map((field) => [
        field.field_definition_id,
        field.api_name,
        field.display_name,
        field.value_type,
      ]),
      made.map(({ id, apiName, displayName, valueType }) => [id, apiName, displayName, valueType]),
    )
    const selected = [
      ...metadata.standard_fields.map(({ key, ...field }) => [{ source: "contact", field: key }, field] as const),
      ...metadata.custom_fields.map(
        ({ field_definition_id: id, ...field }) => [{ source: "custom_field", fieldDefinitionId: id }, field] as const,
      ),
    ]
    for (const [selector, { operators, value_type }] of selected) {
      for (const operator of everyValueOperator) {
        const taken = takes({ ...selector, operator, value: values[value_type] })
        assert.strictEqual(taken, operators.includes(operator), `${JSON.stringify(selector)} ${operator}`)
      }
    }
    assert.isFalse(takes({ source: "custom_field", fieldDefinitionId: gone.id, operator: "is_empty" }))
  })

  it("names activities, units and lists as the decoder accepts them", () => {
    for (const operator of metadata.activity.operators) {
      for (const activityType of metadata.activity.activity_types)
        assert.isTrue(takes({ source: "activity", activityType, operator }))
      for (const unit of metadata.activity.time_window_units) {
        const timeWindow = { amount: 1, unit }
        assert.isTrue(takes({ source: "activity", activityType: "email_opened", operator, timeWindow }))
      }
    }
    for (const operator of metadata.topic.operators) {
      assert.isTrue(takes({ source: "topic", topicId: topic, operator }))
    }
    for (const operator of metadata.list_membership.operators) {
      assert.isTrue(takes({ source: "list_membership", listId: list, operator }))
    }
  })

  it("maps each alias to an operator that it names", () => {
    const named = new Set<string>([
      ...metadata.standard_fields.flatMap((field) => field.operators),
      ...metadata.activity.operators,
      ...metadata.list_membership.operators,
      ...metadata.topic.operators,
    ])
    for (const [alias, canonical] of Object.entries(metadata.operator_aliases)) {
      assert.isTrue(named.has(canonical), alias)
      assert.isFalse(named.has(alias), alias)
    }
  })

  it("reports the limits of rule trees", () => {
    const leaf = { kind: "condition", source: "contact", field: "city", operator: "is_empty" }
    const nested = (levels: number): object =>
      levels === 0 ? leaf : { kind: "group", conditions: [nested(levels - 1)] }
    const wide = (nodes: number) => ({ kind: "group", conditions: Array.from({ length: nodes - 1 }, () => leaf) })
    assert.isTrue(takes(nested(metadata.limits.max_depth)))
    assert.isFalse(takes(nested(metadata.limits.max_depth + 1)))
    assert.isTrue(takes(wide(metadata.limits.max_nodes)))
    assert.isFalse(takes(wide(metadata.limits.max_nodes + 1)))
  })
})
