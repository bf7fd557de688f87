// The operators of rules: which each kind of condition takes, and by what other names they are known. The parser reads
// these tables, and so does the answer that tells callers what they may ask.
import type { ValueType } from "../contacts/ContactFields.ts"
import type {
  ActivityCondition,
  EmailStepCondition,
  ListMembershipCondition,
  TimeWindow,
  ValueOperator,
} from "./RuleTree.ts"

type RuleOperator = ValueOperator | ActivityCondition["operator"] | ListMembershipCondition["operator"]

const ordered = [
  "equals",
  "not_equals",
  "greater_than",
  "greater_than_or_equal",
  "less_than",
  "less_than_or_equal",
  "is_empty",
  "is_not_empty",
] as const satisfies ReadonlyArray<ValueOperator>

/** The operators that a field of each type takes. */
export const valueOperators: { readonly [Type in ValueType]: ReadonlyArray<ValueOperator> } = {
  string: ["equals", "not_equals", "contains", "not_contains", "starts_with", "ends_with", "is_empty", "is_not_empty"],
  number: ordered,
  date: ordered,
  boolean: ["is_true", "is_false", "is_empty", "is_not_empty"],
}

export const everyValueOperator: ReadonlyArray<ValueOperator> = [...new Set(Object.values(valueOperators).flat())]

/** Value operators that say all by themselves; a value beside one of them is dropped. */
export const valueless: ReadonlySet<ValueOperator> = new Set(["is_true", "is_false", "is_empty", "is_not_empty"])

export const activityOperators: ReadonlyArray<ActivityCondition["operator"]> = ["has_activity", "has_no_activity"]
export const membershipOperators: ReadonlyArray<ListMembershipCondition["operator"]> = ["is_member", "is_not_member"]
/** Of conditions on a flow's own emails, which stand only in the condition steps of that flow. */
export const emailStepOperators = ["has_activity"] as const satisfies ReadonlyArray<EmailStepCondition["operator"]>

export const timeWindowUnits: ReadonlyArray<TimeWindow["unit"]> = ["minute", "hour", "day", "week", "month"]
export const time_window_amount_max = 3650

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

/** Canonical name by alias. A map: `constructor` is no alias. */
export const operatorAliases: ReadonlyMap<string, string> = new Map(
  Object.entries(aliasesOf).flatMap(([canonical, aliases]) => aliases.map((alias) => [alias, canonical] as const)),
)
