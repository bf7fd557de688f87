// A segment's rule tree, in the words of the wire (camelCase, as the API description has it) and with canonical operator
// names: the parser has resolved aliases, and checked depth, size and every condition.
import type { FieldDefinitionId, ListId } from "../Ids.ts"

export const rule_depth_max = 5
export const rule_nodes_max = 100

export interface RuleGroup {
  readonly kind: "group"
  readonly operator: "and" | "or"
  readonly conditions: ReadonlyArray<RuleNode>
}

export type ValueOperator =
  | "equals"
  | "not_equals"
  | "contains"
  | "not_contains"
  | "starts_with"
  | "ends_with"
  | "greater_than"
  | "greater_than_or_equal"
  | "less_than"
  | "less_than_or_equal"
  | "is_true"
  | "is_false"
  | "is_empty"
  | "is_not_empty"

export interface ContactCondition {
  readonly kind: "condition"
  readonly source: "contact"
  /** Standard field in camelCase: `leadStatus`. */
  readonly field: string
  readonly operator: ValueOperator
  readonly value?: string | number
}

export interface CustomFieldCondition {
  readonly kind: "condition"
  readonly source: "custom_field"
  readonly fieldDefinitionId: FieldDefinitionId
  readonly operator: ValueOperator
  readonly value?: string | number
}

export interface TimeWindow {
  readonly amount: number
  readonly unit: "minute" | "hour" | "day" | "week" | "month"
}

export interface ActivityCondition {
  readonly kind: "condition"
  readonly source: "activity"
  readonly activityType: string
  readonly operator: "has_activity" | "has_no_activity"
  readonly timeWindow?: TimeWindow
}

export interface ListMembershipCondition {
  readonly kind: "condition"
  readonly source: "list_membership"
  readonly listId: ListId
  readonly operator: "is_member" | "is_not_member"
}

export type RuleCondition = ContactCondition | CustomFieldCondition | ActivityCondition | ListMembershipCondition
export type RuleNode = RuleGroup | RuleCondition
/** The root is always a group. */
export type RuleTree = RuleGroup
