// Reads a rule tree from JSON: aliases become canonical operators, a lone condition is put into a group, and everything
// that is wrong is told at once, each with its path. What is handed back is what stores keep and compile.
import { Result } from "effect"
import { activityTypes } from "../contacts/Activity.ts"
import { standardFieldByKey, type ValueType } from "../contacts/ContactFields.ts"
import { readValue } from "../contacts/values/FieldValue.ts"
import { FieldDefinitionId, ListId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import {
  activityOperators,
  emailStepOperators,
  everyValueOperator,
  membershipOperators,
  operatorAliases,
  time_window_amount_max,
  timeWindowUnits,
  valueless,
  valueOperators,
} from "./Operators.ts"
import type { RuleFacts } from "./RuleFacts.ts"
import {
  type ActivityCondition,
  type ContactCondition,
  type CustomFieldCondition,
  type EmailStepCondition,
  emailStepMetrics,
  isObject,
  type Json,
  type ListMembershipCondition,
  rule_depth_max,
  rule_nodes_max,
  type RuleCondition,
  type RuleGroupOf,
  type RuleNodeOf,
  type RuleTree,
  type StepCondition,
  type StepRuleTree,
  type TimeWindow,
  uuidOf,
  type ValueOperator,
} from "./RuleTree.ts"

/**
 * The tree that `input` (decoded JSON) describes, or every violation in it, at paths that begin with `path`. `facts` tells
 * of what `mentionedIn` found. Never goes deeper than a tree may be, nor through more nodes than one may have.
 */
export const parseRules = (input: unknown, facts: KnownFacts, path = "rules"): Result.Result<RuleTree, Invalid> =>
  parseTree(input, facts, path, readCondition)

/** A tree of a flow's condition step, which may ask what the flow's emails met with, too. */
export const parseStepRules = (input: unknown, facts: KnownFacts, path: string): Result.Result<StepRuleTree, Invalid> =>
  parseTree(input, facts, path, readStepCondition)

/** `kept`: the tree was read once, and is now from where it was stored; what it names may be archived or gone. */
export type KnownFacts = RuleFacts | "kept"

type LeafReader<Condition> = (reading: Reading, node: Json, path: string) => Condition | undefined

const parseTree = <Condition extends StepCondition>(
  input: unknown,
  facts: KnownFacts,
  path: string,
  readLeaf: LeafReader<Condition>,
): Result.Result<RuleGroupOf<Condition>, Invalid> => {
  const reading: Reading = { facts, issues: [], nodes: 0 }
  const tree = asGroup(readNode(reading, readLeaf, input, path, 1))
  if (reading.nodes > rule_nodes_max) {
    reading.issues.unshift({ path, message: `must have at most ${rule_nodes_max} groups and conditions` })
  }
  return tree === undefined || reading.issues.length > 0
    ? Result.fail(new Invalid({ issues: reading.issues }))
    : Result.succeed(tree)
}

const asGroup = <Condition extends StepCondition>(
  root: RuleNodeOf<Condition> | undefined,
): RuleGroupOf<Condition> | undefined => {
  if (root === undefined || root.kind === "group") return root
  return { kind: "group", operator: "and", conditions: [root] }
}

interface Reading {
  readonly facts: KnownFacts
  readonly issues: Array<Issue>
  /** How many groups and conditions have been met. Past the limit nothing more is looked at. */
  nodes: number
}

const listed = (words: ReadonlyArray<string>): string => words.join(", ")

/** A tree of a hundred nodes has room for many unknown keys. */
const issues_max = 1000

const refuse = (reading: Reading, path: string, message: string): undefined => {
  if (reading.issues.length < issues_max) reading.issues.push({ path, message })
  return undefined
}

const knownKeys = (reading: Reading, node: Json, path: string, known: ReadonlyArray<string>): void => {
  for (const key of Object.keys(node)) {
    if (!known.includes(key)) refuse(reading, `${path}.${key}`, `is not a key here; known are ${listed(known)}`)
  }
}

/** `level` is the one that a group at this place would be; a condition has none of its own. */
const readNode = <Condition extends StepCondition>(
  reading: Reading,
  readLeaf: LeafReader<Condition>,
  node: unknown,
  path: string,
  level: number,
): RuleNodeOf<Condition> | undefined => {
  if (++reading.nodes > rule_nodes_max) return undefined
  if (!isObject(node)) return refuse(reading, path, "must be a group or a condition")
  switch (node["kind"]) {
    case "group":
      return readGroup(reading, readLeaf, node, path, level)
    case "condition":
      return readLeaf(reading, node, path)
    default:
      return refuse(reading, `${path}.kind`, `must be "group" or "condition"`)
  }
}

const readGroup = <Condition extends StepCondition>(
  reading: Reading,
  readLeaf: LeafReader<Condition>,
  node: Json,
  path: string,
  level: number,
): RuleGroupOf<Condition> | undefined => {
  if (level > rule_depth_max) {
    return refuse(reading, path, `is a group at level ${level}; groups may be ${rule_depth_max} levels deep`)
  }
  knownKeys(reading, node, path, ["kind", "operator", "conditions"])
  const { operator = "and" } = node
  const joined = operator === "and" || operator === "or" ? operator : undefined
  if (joined === undefined) refuse(reading, `${path}.operator`, `must be "and" or "or"`)
  const members = node["conditions"]
  if (!Array.isArray(members) || members.length === 0) {
    return refuse(reading, `${path}.conditions`, "must be an array of at least one group or condition")
  }
  const conditions: Array<RuleNodeOf<Condition>> = []
  for (const [index, member] of members.slice(0, rule_nodes_max + 1).entries()) {
    const read = readNode(reading, readLeaf, member, `${path}.conditions.${index}`, level + 1)
    if (read !== undefined) conditions.push(read)
  }
  return joined === undefined ? undefined : { kind: "group", operator: joined, conditions }
}

const sources = ["contact", "custom_field", "activity", "list_membership"]

const readCondition = (reading: Reading, node: Json, path: string): RuleCondition | undefined => {
  switch (node["source"]) {
    case "contact":
      return readContact(reading, node, path)
    case "custom_field":
      return readCustomField(reading, node, path)
    case "activity":
      return readActivity(reading, node, path)
    case "list_membership":
      return readMembership(reading, node, path)
    case "email_step":
      return refuse(reading, `${path}.source`, "email_step stands only in the condition steps of a flow")
    default:
      return refuse(reading, `${path}.source`, `must be one of ${listed(sources)}`)
  }
}

const readStepCondition = (reading: Reading, node: Json, path: string): StepCondition | undefined =>
  node["source"] === "email_step" ? readEmailStep(reading, node, path) : readCondition(reading, node, path)

const readEmailStep = (reading: Reading, node: Json, path: string): EmailStepCondition | undefined => {
  knownKeys(reading, node, path, ["kind", "source", "nodeId", "metric", "operator", "value"])
  const { nodeId } = node
  const named = typeof nodeId === "string" && nodeId !== "" ? nodeId : undefined
  if (named === undefined) refuse(reading, `${path}.nodeId`, "must be the step_id of a send_email step of this flow")
  const metric = emailStepMetrics.find((each) => each === node["metric"])
  if (metric === undefined) refuse(reading, `${path}.metric`, `must be one of ${listed(emailStepMetrics)}`)
  const operator = readOperator(reading, node, path, emailStepOperators)
  return named === undefined || metric === undefined || operator === undefined
    ? undefined
    : { kind: "condition", source: "email_step", nodeId: named, metric, operator }
}

const readContact = (reading: Reading, node: Json, path: string): ContactCondition | undefined => {
  knownKeys(reading, node, path, ["kind", "source", "field", "operator", "value"])
  const key = node["field"]
  const field = typeof key === "string" ? standardFieldByKey.get(key) : undefined
  if (field === undefined) {
    refuse(reading, `${path}.field`, `must be one of ${listed([...standardFieldByKey.keys()])}`)
  }
  const comparison = readComparison(reading, node, path, field?.valueType)
  return field === undefined || comparison === undefined
    ? undefined
    : { kind: "condition", source: "contact", field: field.key, ...comparison }
}

const readCustomField = (reading: Reading, node: Json, path: string): CustomFieldCondition | undefined => {
  knownKeys(reading, node, path, ["kind", "source", "fieldDefinitionId", "operator", "value"])
  const id = uuidOf(node["fieldDefinitionId"])
  if (reading.facts === "kept" && id !== undefined) {
    const kept = readComparison(reading, node, path, undefined)
    return kept && { kind: "condition", source: "custom_field", fieldDefinitionId: FieldDefinitionId.make(id), ...kept }
  }
  const field = reading.facts === "kept" ? undefined : reading.facts.fields.find((each) => each.id === id)
  const usable = field?.status === "active" ? field : undefined
  if (usable === undefined) {
    const where = `${path}.fieldDefinitionId`
    if (id === undefined) refuse(reading, where, "must be the id of a custom field")
    else if (field === undefined) refuse(reading, where, "is not a custom field of this workspace")
    else refuse(reading, where, `is the archived field ${field.apiName}; restore it first`)
  }
  const comparison = readComparison(reading, node, path, field?.valueType)
  return usable === undefined || comparison === undefined
    ? undefined
    : { kind: "condition", source: "custom_field", fieldDefinitionId: usable.id, ...comparison }
}

const readActivity = (reading: Reading, node: Json, path: string): ActivityCondition | undefined => {
  knownKeys(reading, node, path, ["kind", "source", "activityType", "operator", "timeWindow", "value"])
  const activityType = activityTypes.find((each) => each === node["activityType"])
  if (activityType === undefined) {
    refuse(reading, `${path}.activityType`, `must be one of ${listed(activityTypes)}`)
  }
  const operator = readOperator(reading, node, path, activityOperators)
  const timeWindow = node["timeWindow"] === undefined ? null : readTimeWindow(reading, node["timeWindow"], path)
  if (activityType === undefined || operator === undefined || timeWindow === undefined) return undefined
  const condition = { kind: "condition", source: "activity", activityType, operator } as const
  return timeWindow === null ? condition : { ...condition, timeWindow }
}

const readTimeWindow = (reading: Reading, window: unknown, condition: string): TimeWindow | undefined => {
  const path = `${condition}.timeWindow`
  if (!isObject(window)) return refuse(reading, path, "must be an object of amount and unit")
  knownKeys(reading, window, path, ["amount", "unit"])
  const { amount, unit: name } = window
  const whole =
    typeof amount === "number" && Number.isInteger(amount) && amount >= 1 && amount <= time_window_amount_max
  if (!whole) refuse(reading, `${path}.amount`, `must be a whole number from 1 to ${time_window_amount_max}`)
  const unit = timeWindowUnits.find((each) => name === each || name === `${each}s`)
  if (unit === undefined) refuse(reading, `${path}.unit`, `must be one of ${listed(timeWindowUnits)}`)
  return whole && unit !== undefined ? { amount, unit } : undefined
}

const readMembership = (reading: Reading, node: Json, path: string): ListMembershipCondition | undefined => {
  knownKeys(reading, node, path, ["kind", "source", "listId", "operator", "value"])
  const id = uuidOf(node["listId"])
  const listId = id === undefined ? undefined : ListId.make(id)
  const known = listId !== undefined && (reading.facts === "kept" || reading.facts.staticLists.has(listId))
  if (!known) refuse(reading, `${path}.listId`, "must be the id of a static list of this workspace")
  const operator = readOperator(reading, node, path, membershipOperators)
  return !known || operator === undefined
    ? undefined
    : { kind: "condition", source: "list_membership", listId, operator }
}

const readOperator = <Operator extends string>(
  reading: Reading,
  node: Json,
  path: string,
  known: ReadonlyArray<Operator>,
): Operator | undefined => {
  const name = node["operator"]
  const canonical = typeof name === "string" ? (operatorAliases.get(name) ?? name) : undefined
  return (
    known.find((each) => each === canonical) ?? refuse(reading, `${path}.operator`, `must be one of ${listed(known)}`)
  )
}

/**
 * Operator and value. Where the field is unknown, so is its type: then only what holds for every type is checked, and what
 * was kept is taken as it is.
 */
const readComparison = (
  reading: Reading,
  node: Json,
  path: string,
  type: ValueType | undefined,
): { readonly operator: ValueOperator; readonly value?: string | number } | undefined => {
  const operator = readOperator(reading, node, path, type === undefined ? everyValueOperator : valueOperators[type])
  if (operator === undefined) return undefined
  if (valueless.has(operator)) return { operator }
  const value = node["value"]
  if (value === undefined || value === null || value === "") {
    return refuse(reading, `${path}.value`, `is required by ${operator}`)
  }
  if (type === undefined && reading.facts !== "kept") return undefined
  const read = type === undefined ? null : readValue(type, value, "json")
  if (read !== null && Result.isFailure(read)) return refuse(reading, `${path}.value`, read.failure)
  return typeof value === "string" || typeof value === "number" ? { operator, value } : undefined
}
