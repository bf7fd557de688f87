// Rule trees of the API and queries of the builder, mapped both ways without loss. A field of the builder is named
// `<source>:<key>`. The ids of the builder have no place in a tree.
import type { Rule, RuleGroup, StepRule, StepRuleGroup } from "@tentpole/client"
import type { RuleGroupType, RuleType } from "react-querybuilder"

/** A condition of an audience, or of a step of a flow. */
export type Condition = Exclude<StepRule, StepRuleGroup>
export type TimeWindow = NonNullable<Extract<Condition, { readonly source: "activity" }>["timeWindow"]>

/** Operators without a value. */
const valueless: ReadonlySet<string> = new Set(["is_empty", "is_not_empty", "is_true", "is_false"])

export const takesValue = (operator: string): boolean => !valueless.has(operator)

/** The name of a condition's field in the builder. */
export const fieldNameOf = (condition: Condition): string => {
  switch (condition.source) {
    case "contact":
      return `contact:${condition.field}`
    case "custom_field":
      return `custom_field:${condition.fieldDefinitionId}`
    case "activity":
      return `activity:${condition.activityType}`
    case "list_membership":
      return "list_membership:list"
    case "topic":
      return "topic:topic"
    case "email_step":
      return `email_step:${condition.metric}`
  }
}

const valueOf = (condition: Condition): unknown => {
  switch (condition.source) {
    case "activity":
      return condition.timeWindow
    case "list_membership":
      return condition.listId
    case "topic":
      return condition.topicId
    case "email_step":
      return condition.nodeId
    default:
      return condition.value
  }
}

const isGroup = (node: StepRule): node is StepRuleGroup => node.kind === "group"

export const fromCondition = (condition: Condition): RuleType => ({
  field: fieldNameOf(condition),
  operator: condition.operator,
  value: valueOf(condition),
})

export const fromTree = ({ conditions, operator = "and" }: StepRuleGroup): RuleGroupType => ({
  combinator: operator,
  rules: conditions.map((node) => (isGroup(node) ? fromTree(node) : fromCondition(node))),
})

/** An absent, null or empty value. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** The key and value of what a condition compares with; nothing for an absent value. */
const compared = (key: string, value: unknown): object => (isNothing(value) ? {} : { [key]: value })

/** The keys of a condition besides its kind and source, in the order in which people read them. */
const keysOf = (source: string, key: string, rule: RuleType): object => {
  const { operator } = rule
  const value: unknown = rule.value
  const text = typeof value === "string" ? value : ""
  switch (source) {
    case "contact":
      return { field: key, operator, ...compared("value", takesValue(operator) ? value : null) }
    case "custom_field":
      return { fieldDefinitionId: key, operator, ...compared("value", takesValue(operator) ? value : null) }
    case "activity":
      return { activityType: key, operator, ...compared("timeWindow", value) }
    case "list_membership":
      return { listId: text, operator }
    case "topic":
      return { topicId: text, operator }
    default:
      return { nodeId: text, metric: key, operator }
  }
}

/** The source and the key of a builder's field. */
export const partsOf = (field: string): readonly [source: string, key: string] => {
  const at = field.indexOf(":")
  return [field.slice(0, at), field.slice(at + 1)]
}

export const toCondition = (rule: RuleType): Condition => {
  const [source, key] = partsOf(rule.field)
  // The builder's texts come from the vocabulary of the service, which checks them.
  return { kind: "condition", source, ...keysOf(source, key, rule) } as Condition
}

export const isQueryGroup = (node: RuleGroupType | RuleType): node is RuleGroupType => "rules" in node

export const toTree = ({ combinator, rules }: RuleGroupType): StepRuleGroup => ({
  kind: "group",
  operator: combinator === "or" ? "or" : "and",
  conditions: rules.map((node) => (isQueryGroup(node) ? toTree(node) : toCondition(node))),
})

/** The rules of an audience: a builder without emails of a flow has no conditions on them. */
export const toRules = (query: RuleGroupType): RuleGroup => toTree(query) as RuleGroup

/** A tree as a group: the service accepts a condition alone, too. */
export const groupOf = (rule: Rule): RuleGroup =>
  rule.kind === "group" ? rule : { kind: "group", operator: "and", conditions: [rule] }

export const emptyQuery: RuleGroupType = { combinator: "and", rules: [] }

export interface Leaf {
  readonly path: ReadonlyArray<number>
  readonly rule: RuleType
}

/** The conditions of a query with their places, in the order of the query. */
export const leavesOf = ({ rules }: RuleGroupType, above: ReadonlyArray<number> = []): ReadonlyArray<Leaf> =>
  rules.flatMap((node, index) => {
    const path = [...above, index]
    return isQueryGroup(node) ? leavesOf(node, path) : [{ path, rule: node }]
  })

/** The path of the only condition that differs; null if the tree has another form, or other conditions differ. */
export const changedCondition = (before: RuleGroupType, after: RuleGroupType): string | null => {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  if (old.length !== now.length || nodesIn(before) !== nodesIn(after)) return null
  const different = now.filter(({ path, rule }, index) => {
    const other = old[index]
    return other === undefined || pathOf(other.path) !== pathOf(path) || other.rule !== rule
  })
  const [only, ...others] = different
  return only === undefined || others.length > 0 ? null : pathOf(only.path)
}

/** Places of groups without conditions. */
export const emptyGroupsOf = (
  { rules }: RuleGroupType,
  path: ReadonlyArray<number> = [],
): ReadonlyArray<ReadonlyArray<number>> =>
  rules.length === 0
    ? [path]
    : rules.flatMap((node, index) => (isQueryGroup(node) ? emptyGroupsOf(node, [...path, index]) : []))

/** Groups and conditions, the root included: the service limits their number. */
export const nodesIn = ({ rules }: RuleGroupType): number =>
  1 + rules.reduce((sum, node) => sum + (isQueryGroup(node) ? nodesIn(node) : 1), 0)

/** The levels of groups, the root included. */
export const levelsIn = ({ rules }: RuleGroupType): number =>
  1 + Math.max(0, ...rules.map((node) => (isQueryGroup(node) ? levelsIn(node) : 0)))

/** The path of a place as the service writes it, such as `conditions.0.conditions.1`. */
export const pathOf = (place: ReadonlyArray<number>): string => place.map((index) => `conditions.${index}`).join(".")

/** The number of a place as people read it, such as `1.2`. */
export const numberOf = (path: string): string =>
  path
    .split(".")
    .filter((part) => part !== "conditions" && part !== "")
    .map((index) => String(Number(index) + 1))
    .join(".")

/** The place of an issue of a request, such as `rules.conditions.0.value`, without the key; empty for the root. */
export const placeOfIssue = (path: string): string => /(?:conditions\.\d+)(?:\.conditions\.\d+)*/.exec(path)?.[0] ?? ""
