// A segment's rule tree, in the words of the wire (camelCase, as the API description has it) and with canonical operator
// names: the parser has resolved aliases, and checked depth, size and every condition.
import type { ActivityType } from "../contacts/Activity.ts"
import type { StandardKey } from "../contacts/ContactFields.ts"
import { FieldDefinitionId, ListId } from "../kernel/Ids.ts"

/** What a message may have met with. */
export const emailStepMetrics = ["sent", "delivered", "opened", "clicked", "bounced", "unsubscribed"] as const
export type EmailStepMetric = (typeof emailStepMetrics)[number]

export const rule_depth_max = 5
export const rule_nodes_max = 100

/** What every condition is, wherever it may stand. */
interface AnyCondition {
  readonly kind: "condition"
}

/** A group of conditions of some kinds: those of audiences, or those that a flow's steps may ask. */
export interface RuleGroupOf<Condition extends AnyCondition> {
  readonly kind: "group"
  readonly operator: "and" | "or"
  readonly conditions: ReadonlyArray<RuleNodeOf<Condition>>
}

export type RuleNodeOf<Condition extends AnyCondition> = RuleGroupOf<Condition> | Condition

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
  readonly field: StandardKey
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
  readonly activityType: ActivityType
  readonly operator: "has_activity" | "has_no_activity"
  readonly timeWindow?: TimeWindow
}

export interface ListMembershipCondition {
  readonly kind: "condition"
  readonly source: "list_membership"
  readonly listId: ListId
  readonly operator: "is_member" | "is_not_member"
}

/** Asks what the messages of one of the flow's steps have met with. Stands only in the condition steps of that flow. */
export interface EmailStepCondition {
  readonly kind: "condition"
  readonly source: "email_step"
  /** The `step_id` of a `send_email` step. */
  readonly nodeId: string
  readonly metric: EmailStepMetric
  readonly operator: "has_activity"
}

export type RuleCondition = ContactCondition | CustomFieldCondition | ActivityCondition | ListMembershipCondition
export type RuleNode = RuleNodeOf<RuleCondition>
export type RuleGroup = RuleGroupOf<RuleCondition>
/** The root is always a group. */
export type RuleTree = RuleGroup

/** What the condition steps of a flow may ask besides. */
export type StepCondition = RuleCondition | EmailStepCondition
export type StepRuleTree = RuleGroupOf<StepCondition>

const isCondition = <Condition extends AnyCondition>(node: RuleNodeOf<Condition>): node is Condition =>
  node.kind === "condition"

/** Every condition of a tree, in the order in which they stand. */
export const conditionsOf = <Condition extends AnyCondition>(node: RuleNodeOf<Condition>): ReadonlyArray<Condition> =>
  isCondition(node) ? [node] : node.conditions.flatMap(conditionsOf<Condition>)

/** A condition, and where below the root it stands: `conditions.0.conditions.1`. */
export interface Leaf<Condition> {
  readonly path: string
  readonly condition: Condition
}

/** Every condition of a tree with its path, in the order in which they stand. */
export const leavesOf = <Condition extends AnyCondition>(
  group: RuleGroupOf<Condition>,
  above = "",
): ReadonlyArray<Leaf<Condition>> =>
  group.conditions.flatMap((node, at) => {
    const path = `${above}conditions.${at}`
    return isCondition(node) ? [{ path, condition: node }] : leavesOf(node, `${path}.`)
  })

/** What a tree asks of a contact besides their fields, each once. */
export const askedBesides = (
  tree: StepRuleTree,
): { readonly activityTypes: ReadonlyArray<ActivityType>; readonly lists: ReadonlyArray<ListId> } => {
  const conditions = conditionsOf(tree)
  const types = conditions.flatMap((each) => (each.source === "activity" ? [each.activityType] : []))
  const lists = conditions.flatMap((each) => (each.source === "list_membership" ? [each.listId] : []))
  return { activityTypes: [...new Set(types)], lists: [...new Set(lists)] }
}

/** The condition of a tree that has only one, however deep it stands. */
export const loneCondition = ({ conditions }: RuleGroup): RuleCondition | undefined => {
  const [only, ...others] = conditions
  if (only === undefined || others.length > 0) return undefined
  return only.kind === "group" ? loneCondition(only) : only
}

/** The ids that a tree names. */
export interface Mentioned {
  readonly fields: ReadonlyArray<FieldDefinitionId>
  readonly lists: ReadonlyArray<ListId>
}

/** The ids of custom fields and lists that the JSON of a tree names, right or wrong: what to ask the facts of. */
export const mentionedIn = (input: unknown): Mentioned => {
  const fields = new Set<FieldDefinitionId>()
  const lists = new Set<ListId>()
  let nodes = 0
  const visit = (node: unknown, level: number): void => {
    if (++nodes > rule_nodes_max || !isObject(node)) return
    if (Array.isArray(node["conditions"])) {
      if (level <= rule_depth_max)
        for (const each of node["conditions"].slice(0, rule_nodes_max)) visit(each, level + 1)
      return
    }
    const field = uuidOf(node["fieldDefinitionId"])
    if (field !== undefined) fields.add(FieldDefinitionId.make(field))
    const list = uuidOf(node["listId"])
    if (list !== undefined) lists.add(ListId.make(list))
  }
  visit(input, 1)
  return { fields: [...fields], lists: [...lists] }
}

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id in lower case, if it is one. */
export const uuidOf = (value: unknown): string | undefined => {
  const id = typeof value === "string" ? value.toLowerCase() : ""
  return uuidPattern.test(id) ? id : undefined
}
