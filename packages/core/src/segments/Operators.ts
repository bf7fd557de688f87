// The vocabulary of rules: operators of each kind of condition, aliases, units, metrics and limits.
import type { ValueType } from "../contacts/ContactFields.ts"

export const rule_depth_max = 5
export const rule_nodes_max = 100
export const time_window_amount_max = 3650

const text = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "is_empty",
  "is_not_empty",
] as const

const ordered = [
  "equals",
  "not_equals",
  "greater_than",
  "greater_than_or_equal",
  "less_than",
  "less_than_or_equal",
  "is_empty",
  "is_not_empty",
] as const

const tags = ["contains_any", "contains_all", "contains_none", "is_empty", "is_not_empty"] as const

const truth = ["is_true", "is_false", "is_empty", "is_not_empty"] as const

export type ValueOperator = (typeof text | typeof ordered | typeof truth | typeof tags)[number]

/** The operators of each type of field. */
export const valueOperators: { readonly [Type in ValueType]: ReadonlyArray<ValueOperator> } = {
  string: text,
  number: ordered,
  date: ordered,
  boolean: truth,
  tags,
}

export const everyValueOperator: ReadonlyArray<ValueOperator> = [...new Set(Object.values(valueOperators).flat())]

/** Operators without a value. A value beside one of them is dropped. */
export const valueless: ReadonlySet<ValueOperator> = new Set(truth)

export const activityOperators = ["has_activity", "has_no_activity"] as const
export const membershipOperators = ["is_member", "is_not_member"] as const
export const topicOperators = ["is_subscribed", "is_not_subscribed", "is_pending"] as const
/** Operators of conditions on a flow's own emails, which only condition steps of that flow have. */
export const emailStepOperators = ["has_activity"] as const

/** Events of a message. */
export const emailStepMetrics = ["sent", "delivered", "opened", "clicked", "bounced", "unsubscribed"] as const
export type EmailStepMetric = (typeof emailStepMetrics)[number]

export const timeWindowUnits = ["minute", "hour", "day", "week", "month"] as const

type RuleOperator = ValueOperator | (typeof activityOperators | typeof membershipOperators)[number]

const aliasesOf: { readonly [Canonical in RuleOperator]?: ReadonlyArray<string> } = {
  equals: ["eq", "is"],
  not_equals: ["neq", "ne", "is_not"],
  greater_than: ["gt"],
  greater_than_or_equal: ["gte"],
  less_than: ["lt"],
  less_than_or_equal: ["lte"],
  contains: ["includes"],
  not_contains: ["excludes"],
  starts_with: ["begins_with"],
  is_empty: ["empty", "is_blank", "is_unknown", "not_exists"],
  is_not_empty: ["not_empty", "is_present", "is_known", "exists"],
  is_true: ["true"],
  is_false: ["false"],
  is_member: ["member_of", "in_list"],
  is_not_member: ["not_member_of", "not_in_list"],
  has_activity: ["occurred", "did", "has_done"],
  has_no_activity: ["not_occurred", "did_not", "has_not_done"],
}

/** Canonical name by alias. A map, because `constructor` is not an alias. */
export const operatorAliases: ReadonlyMap<string, string> = new Map(
  Object.entries(aliasesOf).flatMap(([canonical, aliases]) => aliases.map((alias) => [alias, canonical] as const)),
)
