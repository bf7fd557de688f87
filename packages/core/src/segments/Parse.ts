// Decoding of rule trees: JSON becomes a canonical tree, or all issues with their paths. A lone condition becomes a group.
// Ids of fields and lists are checked separately, against the facts that the tree's ids lead to.
import { Result, Schema } from "effect"
import { standardFieldByKey, standardFieldByName, type ValueType } from "../contacts/ContactFields.ts"
import { FieldApiName } from "../contacts/CustomField.ts"
import { readValue } from "../contacts/values/FieldValue.ts"
import { type Decoded, type Decoder, decoderOf, isObject, issues_max, type Json, refused } from "../kernel/Decoding.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import {
  everyValueOperator,
  operatorAliases,
  rule_depth_max,
  rule_nodes_max,
  valueless,
  valueOperators,
} from "./Operators.ts"
import type { RuleFacts, RuleField } from "./RuleFacts.ts"
import {
  ActivityRule,
  ContactRule,
  CustomFieldRule,
  EmailStepRule,
  ListMembershipRule,
  TopicRule,
  type RuleCondition,
  type RuleGroupOf,
  type RuleNodeOf,
  type StepCondition,
} from "./RuleSchema.ts"
import { type NamedInRules, referencesOf, type Leaf, type RuleTree } from "./RuleTree.ts"

/** A decoded tree, before ids are checked. `tree` is null if and only if there are issues. */
export interface ReadRules<Condition extends StepCondition> {
  readonly tree: RuleGroupOf<Condition> | null
  /** All well-formed conditions, also of a tree with issues. */
  readonly leaves: ReadonlyArray<Leaf<Condition>>
  readonly issues: ReadonlyArray<Issue>
}

/** Custom fields that conditions may name by their `api_name`: those of `fieldNamesIn`. */
export type NamedFields = ReadonlyArray<RuleField>

export const readRules = (json: unknown, path: string, fields: NamedFields): ReadRules<RuleCondition> =>
  readTree(json, path, naming(fields, decodeCondition))

/** Decodes the tree of a flow's step, which may have conditions on the flow's own emails. */
export const readStepRules = (json: unknown, path: string, fields: NamedFields): ReadRules<StepCondition> =>
  readTree(json, path, naming(fields, decodeStepCondition))

/** The names in a JSON tree that may be `api_name`s of custom fields. */
export const fieldNamesIn = (json: unknown): ReadonlyArray<string> => {
  const names = new Set<string>()
  readTree<never>(json, "rules", (node) => {
    const name = nameIn(node)
    if (name !== null) names.add(name)
    return { value: null, issues: [] }
  })
  return [...names]
}

/** The ids that the well-formed conditions of a JSON tree name, and the names in place of a custom field's id. */
export const referencesInJson = (json: unknown): NamedInRules => {
  const { leaves } = readTree(json, "rules", decodeCondition)
  return { ...referencesOf(leaves.map(({ condition }) => condition)), fieldNames: fieldNamesIn(json) }
}

/** Decodes the tree, and checks its ids and names against the facts that `referencesInJson` led to. */
export const parseRules = (json: unknown, facts: RuleFacts, path = "rules"): Result.Result<RuleTree, Invalid> => {
  const { tree, leaves, issues } = readRules(json, path, facts.fields)
  const all = [...issues, ...leaves.flatMap((leaf) => referenceIssues(leaf, facts))]
  return tree === null || all.length > 0 ? Result.fail(new Invalid({ issues: all })) : Result.succeed(tree)
}

/** `path` is the path of the tree. Limits are checked before the descent. */
const readTree = <Condition extends StepCondition>(
  json: unknown,
  path: string,
  decodeLeaf: Decoder<Condition>,
): ReadRules<Condition> => {
  const issues: Array<Issue> = []
  const leaves: Array<Leaf<Condition>> = []
  let nodes = 0
  const refuse = (at: string, message: string): null => {
    issues.push({ path: at, message })
    return null
  }
  /** `level` is the level of a group at this place; conditions have none. */
  const readNode = (node: unknown, at: string, level: number): RuleNodeOf<Condition> | null => {
    if (++nodes > rule_nodes_max) return null
    if (!isObject(node)) return refuse(at, "must be a group or a condition")
    if (node["kind"] === "group") return readGroup(node, at, level)
    if (node["kind"] !== "condition") return refuse(`${at}.kind`, `must be "group" or "condition"`)
    const { value, issues: wrong } = decodeLeaf(node, at)
    issues.push(...wrong)
    if (value !== null) leaves.push({ path: at, condition: value })
    return value
  }
  const readGroup = (node: Json, at: string, level: number): RuleGroupOf<Condition> | null => {
    if (level > rule_depth_max) {
      return refuse(at, `is a group at level ${level}; groups may be ${rule_depth_max} levels deep`)
    }
    const { operator = "and", conditions: members } = node
    const unknown = Object.keys(node).filter((key) => !groupKeys.has(key))
    for (const key of unknown.slice(0, issues_max)) {
      refuse(`${at}.${key}`, "is not a key here; known are kind, operator, conditions")
    }
    if (operator !== "and" && operator !== "or") refuse(`${at}.operator`, `must be "and" or "or"`)
    if (!Array.isArray(members) || members.length === 0) {
      return refuse(`${at}.conditions`, "must be an array of at least one group or condition")
    }
    const conditions = members
      .slice(0, rule_nodes_max + 1)
      .flatMap((member: unknown, index) => readNode(member, `${at}.conditions.${index}`, level + 1) ?? [])
    return { kind: "group", operator: operator === "or" ? "or" : "and", conditions }
  }
  const root = readNode(json, path, 1)
  if (nodes > rule_nodes_max) {
    issues.unshift({ path, message: `must have at most ${rule_nodes_max} groups and conditions` })
  }
  if (root === null || issues.length > 0) return { tree: null, leaves, issues: issues.slice(0, issues_max) }
  return { tree: root.kind === "group" ? root : { kind: "group", operator: "and", conditions: [root] }, leaves, issues }
}

/** The name in a condition that may be the `api_name` of a custom field. */
const nameIn = (node: unknown): string | null => {
  if (!isObject(node)) return null
  const { source, api_name, field } = node
  const name = source === "custom_field" ? api_name : source === "contact" ? field : null
  const isStandard = source === "contact" && typeof name === "string" && keyOf(name) !== null
  return typeof name === "string" && !isStandard && isFieldName(name) ? name : null
}

const isFieldName = Schema.is(FieldApiName)

/** Decodes a condition that may name one of these custom fields. */
const naming =
  <Condition extends StepCondition>(
    fields: NamedFields,
    decode: Decoder<Condition | RuleCondition>,
  ): Decoder<Condition | RuleCondition> =>
  (node, path) => {
    const name = nameIn(node)
    const field = name === null ? undefined : fields.find(({ apiName }) => apiName === name)
    return field === undefined || !isObject(node) ? decode(node, path) : decodeNamed(node, field, path)
  }

/** Decodes a condition that names this custom field. */
const decodeNamed = ({ api_name: name, ...node }: Json, field: RuleField, path: string): Decoded<RuleCondition> =>
  node["source"] === "contact"
    ? refused(
        `${path}.field`,
        `"${field.apiName}" is a custom field: use source "custom_field" with api_name "${field.apiName}"`,
      )
    : decodeCondition(
        "fieldDefinitionId" in node ? { ...node, api_name: name } : { ...node, fieldDefinitionId: field.id },
        path,
      )

/** The key of a standard field by its key or its `api_name`. */
const keyOf = (name: string): string | null =>
  standardFieldByKey.has(name) ? name : (standardFieldByName.get(name)?.key ?? null)

/** Keys of conditions by their names in `snake_case`. */
const snakeKeys: ReadonlyMap<string, string> = new Map([
  ["field_definition_id", "fieldDefinitionId"],
  ["activity_type", "activityType"],
  ["time_window", "timeWindow"],
  ["list_id", "listId"],
  ["topic_id", "topicId"],
  ["node_id", "nodeId"],
])

/** Keys and standard fields in `snake_case` become camelCase. A key in both forms is refused as unknown. */
const inCamelCase = (json: Json): Json => {
  let read = json
  for (const [snake, camel] of snakeKeys) {
    if (!Object.hasOwn(read, snake) || Object.hasOwn(read, camel)) continue
    const { [snake]: value, ...others } = read
    read = { ...others, [camel]: value }
  }
  const { source, field } = read
  return source === "contact" && typeof field === "string" ? { ...read, field: keyOf(field) ?? field } : read
}

const groupKeys: ReadonlySet<string> = new Set(["kind", "operator", "conditions"])

const strict = { absent: false } as const
const contact = decoderOf(ContactRule, strict)
const customField = decoderOf(CustomFieldRule, {
  ...strict,
  hints: {
    field: "is not a key here; name the custom field by api_name or fieldDefinitionId",
    api_name: "is not the api_name of a custom field of this workspace, or a second name beside fieldDefinitionId",
  },
})
const activity = decoderOf(ActivityRule, strict)
const listMembership = decoderOf(ListMembershipRule, strict)
const topic = decoderOf(TopicRule, strict)
const emailStep = decoderOf(EmailStepRule, strict)

const decodeCondition: Decoder<RuleCondition> = (sent, path) => {
  if (!isObject(sent)) return refused(path, "must be a condition")
  const json = inCamelCase(sent)
  switch (json["source"]) {
    case "contact": {
      const type = standardFieldByKey.get(String(json["field"]))?.valueType
      const decoded = contact(withUsedValue(json, type), path)
      if (decoded.value === null) return decoded
      const issues = type === undefined ? [] : comparisonIssues(decoded.value, type, path)
      return issues.length > 0 ? { value: null, issues } : decoded
    }
    case "custom_field": {
      const name = json["api_name"]
      if (typeof name === "string" && keyOf(name) !== null) {
        return refused(
          `${path}.api_name`,
          `"${name}" is a standard field: use source "contact" with field "${keyOf(name)}"`,
        )
      }
      if (typeof name === "string" && !("fieldDefinitionId" in json)) {
        return refused(`${path}.api_name`, "is not the api_name of a custom field of this workspace")
      }
      return customField(withUsedValue(json), path)
    }
    case "activity":
      return activity(withoutValue(json), path)
    case "list_membership":
      return listMembership(withoutValue(json), path)
    case "topic":
      return topic(withoutValue(json), path)
    case "email_step":
      return refused(`${path}.source`, "email_step is only for the condition steps of a flow")
    default:
      return refused(`${path}.source`, "must be one of contact, custom_field, activity, list_membership, topic")
  }
}

const decodeStepCondition: Decoder<StepCondition> = (json, path) =>
  isObject(json) && json["source"] === "email_step"
    ? emailStep(withoutValue(inCamelCase(json)), path)
    : decodeCondition(json, path)

/** Drops the value of a condition that does not compare. */
const withoutValue = ({ value: _, ...json }: Json): Json => json

/** Whether a value is absent, null or empty. */
export const isNoValue = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** Drops an absent, null or empty value, and a value whose operator is unknown or takes none. */
const withUsedValue = (json: Json, type?: ValueType): Json => {
  const { operator, value } = json
  const name = typeof operator === "string" ? (operatorAliases.get(operator) ?? operator) : operator
  const valued: ReadonlyArray<unknown> = type === undefined ? everyValueOperator : valueOperators[type]
  const without: ReadonlySet<unknown> = valueless
  const isUsed = valued.includes(name) && !without.has(name)
  return isUsed && !isNoValue(value) ? json : withoutValue(json)
}

type Comparison = Extract<RuleCondition, { readonly source: "contact" | "custom_field" }>

/** Whether the operator and the value suit the field's type. */
const comparisonIssues = (
  { operator, value }: Pick<Comparison, "operator" | "value">,
  type: ValueType,
  path: string,
): ReadonlyArray<Issue> => {
  const known = valueOperators[type]
  if (!known.includes(operator)) return [{ path: `${path}.operator`, message: `must be one of ${known.join(", ")}` }]
  if (valueless.has(operator)) return []
  if (value === undefined) return [{ path: `${path}.value`, message: `is required by ${operator}` }]
  const read = readValue(type, value, "json")
  return Result.isFailure(read) ? [{ path: `${path}.value`, message: read.failure }] : []
}

/** Issues of the field, list or topic that a condition names. */
export const referenceIssues = (
  { path, condition }: Leaf<StepCondition>,
  { fields, staticLists, topics }: RuleFacts,
): ReadonlyArray<Issue> => {
  switch (condition.source) {
    case "custom_field": {
      const field = fields.find(({ id }) => id === condition.fieldDefinitionId)
      const message = fieldIssue(field)
      const issues = field === undefined ? [] : comparisonIssues(condition, field.valueType, path)
      return message === null ? issues : [{ path: `${path}.fieldDefinitionId`, message }, ...issues]
    }
    case "list_membership":
      return staticLists.has(condition.listId)
        ? []
        : [{ path: `${path}.listId`, message: "must be the id of a static list of this workspace" }]
    case "topic":
      return topics.has(condition.topicId)
        ? []
        : [{ path: `${path}.topicId`, message: "must be the id of a topic of this workspace" }]
    default:
      return []
  }
}

const fieldIssue = (field: RuleField | undefined): string | null => {
  if (field === undefined) return "is no custom field of this workspace"
  return field.status === "active" ? null : archivedFieldMessage(field.apiName)
}

export const archivedFieldMessage = (apiName: string): string => `is the archived field ${apiName}; restore it first`
