// Tests that the rule metadata in the API describes exactly what the decoder accepts.
import { assert, describe, it } from "@effect/vitest"
import { valueTypes } from "@tentpole/core/contacts/ContactFields"
import { type CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import { FieldDefinitionId, ListId } from "@tentpole/core/kernel/Ids"
import { everyValueOperator } from "@tentpole/core/segments/Operators"
import { parseRules } from "@tentpole/core/segments/Parse"
import { ruleMetadata } from "@tentpole/core/segments/RuleMetadata"
import { DateTime, Result } from "effect"

const now = DateTime.makeUnsafe(0)
const list = ListId.make("00000000-0000-4000-8000-0000000000aa")

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

const metadata = ruleMetadata([...made, gone])
const takes = (condition: object): boolean =>
  Result.isSuccess(
    parseRules({ kind: "condition", ...condition }, { fields: [...made, gone], staticLists: new Set([list]) }),
  )
const values = { string: "x", number: 1, boolean: "x", date: "2026-05-01" }

describe("Rule metadata", () => {
  it("names the operators that the decoder accepts for each field, and no other", () => {
    assert.deepStrictEqual(
      metadata.customFields.map(({ id, apiName, displayName, valueType }) => [id, apiName, displayName, valueType]),
      made.map(({ id, apiName, displayName, valueType }) => [id, apiName, displayName, valueType]),
    )
    const selected = [
      ...metadata.standardFields.map(({ key, ...field }) => [{ source: "contact", field: key }, field] as const),
      ...metadata.customFields.map(
        ({ id, ...field }) => [{ source: "custom_field", fieldDefinitionId: id }, field] as const,
      ),
    ]
    for (const [selector, { operators, valueType }] of selected) {
      for (const operator of everyValueOperator) {
        const taken = takes({ ...selector, operator, value: values[valueType] })
        assert.strictEqual(taken, operators.includes(operator), `${JSON.stringify(selector)} ${operator}`)
      }
    }
    assert.isFalse(takes({ source: "custom_field", fieldDefinitionId: gone.id, operator: "is_empty" }))
  })

  it("names activities, units and lists as the decoder accepts them", () => {
    for (const operator of metadata.activityOperators) {
      for (const activityType of metadata.activityTypes)
        assert.isTrue(takes({ source: "activity", activityType, operator }))
      for (const unit of metadata.timeWindowUnits) {
        const timeWindow = { amount: 1, unit }
        assert.isTrue(takes({ source: "activity", activityType: "email_opened", operator, timeWindow }))
      }
    }
    for (const operator of metadata.membershipOperators) {
      assert.isTrue(takes({ source: "list_membership", listId: list, operator }))
    }
  })

  it("maps each alias to an operator that it names", () => {
    const named = new Set<string>([
      ...metadata.standardFields.flatMap((field) => field.operators),
      ...metadata.activityOperators,
      ...metadata.membershipOperators,
    ])
    for (const [alias, canonical] of metadata.operatorAliases) {
      assert.isTrue(named.has(canonical), alias)
      assert.isFalse(named.has(alias), alias)
    }
  })

  it("reports the limits of rule trees", () => {
    const leaf = { kind: "condition", source: "contact", field: "city", operator: "is_empty" }
    const nested = (levels: number): object =>
      levels === 0 ? leaf : { kind: "group", conditions: [nested(levels - 1)] }
    const wide = (nodes: number) => ({ kind: "group", conditions: Array.from({ length: nodes - 1 }, () => leaf) })
    assert.isTrue(takes(nested(metadata.depth_max)))
    assert.isFalse(takes(nested(metadata.depth_max + 1)))
    assert.isTrue(takes(wide(metadata.nodes_max)))
    assert.isFalse(takes(wide(metadata.nodes_max + 1)))
  })
})
