// Rules that a person pasted: JSON as the API accepts it, with its aliases, as a canonical tree or the first thing that is wrong.
import type { Rule, RuleGroup, RuleMetadata, StepRule, StepRuleGroup } from "@tentpole/client"
import type { Words } from "../words/Words.tsx"
import { type Condition, pathOf, takesValue } from "./ruleTree.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Keys of conditions by their names in `snake_case`. */
const camelKeys: Readonly<Record<string, string>> = {
  field_definition_id: "fieldDefinitionId",
  activity_type: "activityType",
  time_window: "timeWindow",
  list_id: "listId",
  topic_id: "topicId",
  node_id: "nodeId",
}

const sources = ["contact", "custom_field", "activity", "list_membership", "topic", "email_step"]

/** The key that names what a condition of a source is about. */
const namingKeys: Readonly<Record<string, string>> = {
  contact: "field",
  custom_field: "fieldDefinitionId",
  activity: "activityType",
  list_membership: "listId",
  topic: "topicId",
  email_step: "nodeId",
}

/** Names in place of keys and ids: `lead_status` is `leadStatus`, and an `api_name` is a custom field. */
const withNames = (json: Json, { custom_fields, standard_fields }: RuleMetadata): Json => {
  const { api_name, ...rest } = json
  const standard = standard_fields.find((each) => each.api_name === rest["field"])
  const custom = custom_fields.find((each) => each.api_name === api_name)
  return {
    ...rest,
    ...(standard === undefined ? {} : { field: standard.key }),
    ...(custom === undefined ? {} : { fieldDefinitionId: custom.field_definition_id }),
  }
}

const conditionOf = (json: Json, metadata: RuleMetadata): Condition | null => {
  const camel = Object.fromEntries(Object.entries(json).map(([key, value]) => [camelKeys[key] ?? key, value]))
  const named = withNames(camel, metadata)
  const { operator, source, value, ...rest } = named
  if (typeof source !== "string" || !sources.includes(source) || typeof operator !== "string") return null
  if (typeof named[namingKeys[source] ?? ""] !== "string") return null
  const canonical = metadata.operator_aliases[operator] ?? operator
  const isUsed = takesValue(canonical) && value !== undefined && value !== null
  return { kind: "condition", source, operator: canonical, ...rest, ...(isUsed ? { value } : {}) } as Condition
}

class Wrong extends Error {}

/** A place as the API names it, for messages. */
const nameOf = (place: ReadonlyArray<number>): string => (place.length === 0 ? "rules" : `rules.${pathOf(place)}`)

const nodeOf = (
  json: unknown,
  place: ReadonlyArray<number>,
  metadata: RuleMetadata,
  words: Words["segments"],
): StepRule => {
  if (!isObject(json)) throw new Wrong(words.jsonNode(nameOf(place)))
  if (json["kind"] === "group") {
    const { conditions, operator } = json
    if (!Array.isArray(conditions) || conditions.length === 0) throw new Wrong(words.jsonGroup(nameOf(place)))
    if (place.length >= metadata.limits.max_depth || conditions.length >= metadata.limits.max_nodes) {
      throw new Wrong(words.jsonLarge)
    }
    return {
      kind: "group",
      operator: operator === "or" ? "or" : "and",
      conditions: conditions.map((each: unknown, index) => nodeOf(each, [...place, index], metadata, words)),
    }
  }
  const condition = json["kind"] === "condition" ? conditionOf(json, metadata) : null
  if (condition === null) {
    throw new Wrong(json["kind"] === "condition" ? words.jsonCondition(nameOf(place)) : words.jsonNode(nameOf(place)))
  }
  return condition
}

const sizeOf = (node: StepRule): number =>
  node.kind === "group" ? 1 + node.conditions.reduce((sum, each) => sum + sizeOf(each), 0) : 1

type Read = { readonly rules: StepRuleGroup } | { readonly problem: string }

/** The rules of a JSON value. The service checks values and ids. */
export const readTree = (json: unknown, metadata: RuleMetadata, words: Words["segments"]): Read => {
  try {
    const node = nodeOf(json, [], metadata, words)
    if (sizeOf(node) > metadata.limits.max_nodes) return { problem: words.jsonLarge }
    return { rules: node.kind === "group" ? node : { kind: "group", operator: "and", conditions: [node] } }
  } catch (error) {
    if (error instanceof Wrong) return { problem: error.message }
    throw error
  }
}

/** The rules of a text: a tree, or the body of a request that has one in `rules`. */
export const readRules = (text: string, metadata: RuleMetadata, words: Words["segments"]): Read => {
  if (text.trim() === "") return { problem: words.jsonEmpty }
  try {
    const json: unknown = JSON.parse(text)
    return readTree(isObject(json) && "rules" in json ? json["rules"] : json, metadata, words)
  } catch (error) {
    return { problem: words.jsonInvalid(error instanceof Error ? error.message : "") }
  }
}

const isNode = (value: unknown): value is Rule => {
  if (!isObject(value)) return false
  const { conditions, kind, operator, source } = value
  if (kind !== "group") return kind === "condition" && typeof source === "string" && typeof operator === "string"
  return Array.isArray(conditions) && conditions.every(isNode)
}

/** Rules in the address of a screen; null if they have not the shape of rules. */
export const rulesInAddress = (value: unknown): RuleGroup | null =>
  isNode(value) && value.kind === "group" ? value : null
