// Metadata of rules for rule builders: fields, operators, units and limits, from the tables that the parser uses.
import type { ActivityType } from "../contacts/Activity.ts"
import { activityTypes } from "../contacts/Activity.ts"
import { type StandardKey, standardFields, type ValueType } from "../contacts/ContactFields.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import type { FieldDefinitionId } from "../kernel/Ids.ts"
import {
  activityOperators,
  emailStepOperators,
  membershipOperators,
  operatorAliases,
  timeWindowUnits,
  valueOperators,
} from "./Operators.ts"
import {
  type ActivityCondition,
  emailStepMetrics,
  type ListMembershipCondition,
  rule_depth_max,
  rule_nodes_max,
  type TimeWindow,
  type ValueOperator,
} from "./RuleTree.ts"

interface Comparable {
  readonly apiName: string
  readonly displayName: string
  readonly valueType: ValueType
  readonly operators: ReadonlyArray<ValueOperator>
}

export interface RuleMetadata {
  readonly standardFields: ReadonlyArray<Comparable & { readonly key: StandardKey }>
  readonly customFields: ReadonlyArray<Comparable & { readonly id: FieldDefinitionId }>
  readonly activityTypes: ReadonlyArray<ActivityType>
  readonly activityOperators: ReadonlyArray<ActivityCondition["operator"]>
  readonly timeWindowUnits: ReadonlyArray<TimeWindow["unit"]>
  readonly membershipOperators: ReadonlyArray<ListMembershipCondition["operator"]>
  readonly emailStepOperators: ReadonlyArray<(typeof emailStepOperators)[number]>
  readonly emailStepMetrics: ReadonlyArray<(typeof emailStepMetrics)[number]>
  /** Canonical name by alias. */
  readonly operatorAliases: ReadonlyMap<string, string>
  readonly depth_max: number
  readonly nodes_max: number
}

/** `fields` are the custom fields of a workspace. Archived fields are left out, because a new tree can't name them. */
export const ruleMetadata = (fields: ReadonlyArray<CustomField>): RuleMetadata => ({
  standardFields: standardFields.map((field) => ({ key: field.key, ...comparable(field) })),
  customFields: fields
    .filter((field) => field.status === "active")
    .map((field) => ({ id: field.id, ...comparable(field) })),
  activityTypes,
  activityOperators,
  timeWindowUnits,
  membershipOperators,
  emailStepOperators,
  emailStepMetrics,
  operatorAliases,
  depth_max: rule_depth_max,
  nodes_max: rule_nodes_max,
})

const comparable = ({ apiName, displayName, valueType }: Omit<Comparable, "operators">): Comparable => ({
  apiName,
  displayName,
  valueType,
  operators: valueOperators[valueType],
})
