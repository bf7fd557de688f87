// Rule trees, decoded and canonical, and queries about them.
import type { ActivityType } from "../contacts/Activity.ts"
import type { FieldDefinitionId, ListId, TopicId } from "../kernel/Ids.ts"
import type { RuleCondition, RuleGroupOf, RuleNodeOf, StepCondition } from "./RuleSchema.ts"

export { type EmailStepMetric, emailStepMetrics, type ValueOperator } from "./Operators.ts"
export type {
  ActivityCondition,
  ComparedValue,
  ContactCondition,
  CustomFieldCondition,
  ListMembershipCondition,
  RuleCondition,
  RuleGroupOf,
  RuleNodeOf,
  StepCondition,
  TimeWindow,
  TopicCondition,
} from "./RuleSchema.ts"
export { isObject, type Json } from "../kernel/Decoding.ts"

export type RuleNode = RuleNodeOf<RuleCondition>
export type RuleGroup = RuleGroupOf<RuleCondition>
/** The root is always a group. */
export type RuleTree = RuleGroup
/** The tree of a flow's step, which may have conditions on the flow's own emails. */
export type StepRuleTree = RuleGroupOf<StepCondition>

const isGroup = <Condition extends StepCondition>(node: RuleNodeOf<Condition>): node is RuleGroupOf<Condition> =>
  node.kind === "group"

/** All conditions of a tree, in the order of the tree. */
export const conditionsOf = <Condition extends StepCondition>(node: RuleNodeOf<Condition>): ReadonlyArray<Condition> =>
  isGroup(node) ? node.conditions.flatMap(conditionsOf<Condition>) : [node]

/** A condition and its path below the root: `conditions.0.conditions.1`. */
export interface Leaf<Condition> {
  readonly path: string
  readonly condition: Condition
}

/** All conditions of a tree with their paths, in the order of the tree. */
export const leavesOf = <Condition extends StepCondition>(
  group: RuleGroupOf<Condition>,
  above = "",
): ReadonlyArray<Leaf<Condition>> =>
  group.conditions.flatMap((node, at) => {
    const path = `${above}conditions.${at}`
    return isGroup(node) ? leavesOf(node, `${path}.`) : [{ path, condition: node }]
  })

/** What a tree needs besides the contact's fields, each once. */
export interface RequiredFacts {
  readonly activityTypes: ReadonlyArray<ActivityType>
  readonly lists: ReadonlyArray<ListId>
  readonly topics: ReadonlyArray<TopicId>
}

export const requiredFactsIn = (tree: StepRuleTree): RequiredFacts => {
  const conditions = conditionsOf(tree)
  const types = conditions.flatMap((each) => (each.source === "activity" ? [each.activityType] : []))
  const { lists, topics } = referencesOf(conditions)
  return { activityTypes: [...new Set(types)], lists, topics }
}

/** The condition of a tree that has exactly one, at any depth. */
export const loneCondition = ({ conditions }: RuleGroup): RuleCondition | undefined => {
  const [only, ...others] = conditions
  if (only === undefined || others.length > 0) return undefined
  return only.kind === "group" ? loneCondition(only) : only
}

export interface RuleReferences {
  readonly fields: ReadonlyArray<FieldDefinitionId>
  readonly lists: ReadonlyArray<ListId>
  readonly topics: ReadonlyArray<TopicId>
}

/** The ids of custom fields, lists and topics that the conditions name, each once. */
export const referencesOf = (conditions: ReadonlyArray<StepCondition>): RuleReferences => ({
  fields: [...new Set(conditions.flatMap((each) => (each.source === "custom_field" ? [each.fieldDefinitionId] : [])))],
  lists: [...new Set(conditions.flatMap((each) => (each.source === "list_membership" ? [each.listId] : [])))],
  topics: [...new Set(conditions.flatMap((each) => (each.source === "topic" ? [each.topicId] : [])))],
})

/** What the JSON of a tree names. `fieldNames`: names that may be `api_name`s of custom fields, each once. */
export interface NamedInRules extends RuleReferences {
  readonly fieldNames: ReadonlyArray<string>
}

export const referencesIn = (tree: StepRuleTree | null): RuleReferences =>
  referencesOf(tree === null ? [] : conditionsOf(tree))

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id in lower case, or undefined if the value is not a UUID. */
export const uuidOf = (value: unknown): string | undefined => {
  const id = typeof value === "string" ? value.toLowerCase() : ""
  return uuidPattern.test(id) ? id : undefined
}
