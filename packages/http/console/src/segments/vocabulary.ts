// What rules can ask in this workspace: the fields with their operators and names, from the metadata of the service.
import type { ContactField, RuleMetadata } from "@tentpole/client"
import type { RuleGroupType, RuleType } from "react-querybuilder"
import { fieldLabel } from "../contacts/fieldLabels.ts"
import type { Words } from "../words/Words.tsx"
import { emptyGroupsOf, isQueryGroup, leavesOf, partsOf, pathOf, takesValue } from "./ruleTree.ts"

export type FieldKind = "string" | "number" | "boolean" | "date" | "tags" | "activity" | "list" | "topic" | "step"

export interface Field {
  /** The name in the builder, `<source>:<key>`. */
  readonly name: string
  readonly label: string
  readonly group: keyof Words["segments"]["groups"]
  readonly kind: FieldKind
  readonly operators: ReadonlyArray<string>
  /** Its conditions match no contact, and new ones are refused. */
  readonly isArchived?: boolean
}

/** An email of a flow, for conditions on what happened to it. */
export interface StepChoice {
  readonly value: string
  readonly label: string
}

export interface Vocabulary {
  readonly fields: ReadonlyArray<Field>
  readonly byName: ReadonlyMap<string, Field>
  readonly metadata: RuleMetadata
  readonly steps: ReadonlyArray<StepChoice>
}

type Texts = Pick<Words, "contacts" | "segments">

/** The word of a name that the service added later is the name itself. */
const wordOf = (words: Readonly<Record<string, string>>, name: string): string | undefined => words[name]

const contactFields = (
  { activity, custom_fields, list_membership, standard_fields, topic }: RuleMetadata,
  { contacts, segments }: Texts,
): ReadonlyArray<Field> => [
  ...standard_fields.map(({ api_name, display_name, key, operators, value_type }) => ({
    name: `contact:${key}`,
    label: fieldLabel(contacts, { api_name, display_name }),
    group: "contact" as const,
    kind: value_type,
    operators,
  })),
  ...custom_fields.map(({ display_name, field_definition_id, operators, value_type }) => ({
    name: `custom_field:${field_definition_id}`,
    label: display_name,
    group: "custom" as const,
    kind: value_type,
    operators,
  })),
  ...activity.activity_types.map((type) => ({
    name: `activity:${type}`,
    label: wordOf(contacts.activities, type) ?? type,
    group: "activity" as const,
    kind: "activity" as const,
    operators: activity.operators,
  })),
  {
    name: "list_membership:list",
    label: segments.listField,
    group: "lists",
    kind: "list",
    operators: list_membership.operators,
  },
  {
    name: "topic:topic",
    label: segments.topicField,
    group: "lists",
    kind: "topic",
    operators: topic.operators,
  },
]

const stepFields = ({ email_step }: RuleMetadata, { segments }: Texts): ReadonlyArray<Field> =>
  email_step.metrics.map((metric) => ({
    name: `email_step:${metric}`,
    label: wordOf(segments.metrics, metric) ?? metric,
    group: "steps",
    kind: "step",
    operators: email_step.operators,
  }))

/** `archived`: custom fields that rules may still name. `steps`: emails of a flow, whose steps have conditions on them. */
export const vocabularyOf = (
  metadata: RuleMetadata,
  words: Texts,
  archived: ReadonlyArray<ContactField> = [],
  steps: ReadonlyArray<StepChoice> = [],
): Vocabulary => {
  const fields = [...contactFields(metadata, words), ...(steps.length === 0 ? [] : stepFields(metadata, words))]
  const operators = new Map(metadata.standard_fields.map((field) => [field.value_type, field.operators]))
  const known = new Set(fields.map(({ name }) => name))
  const old = archived.map(({ display_name, field_definition_id, value_type }): Field => ({
    name: `custom_field:${field_definition_id}`,
    label: words.segments.archivedField(display_name),
    group: "custom",
    kind: value_type,
    operators: operators.get(value_type) ?? [],
    isArchived: true,
  }))
  // A field that was restored is in both until both were read again.
  const all = [...fields, ...old.filter(({ name }) => !known.has(name))]
  return { fields, byName: new Map(all.map((field) => [field.name, field])), metadata, steps }
}

export const operatorLabel = ({ operators }: Words["segments"], kind: FieldKind, operator: string): string =>
  wordOf(operators[kind], operator) ?? operator

/** A rule that waits for its field. */
export const newRule = (): RuleType => ({ field: "", operator: "", value: undefined })

const isWindow = (value: unknown): boolean => {
  if (value === undefined) return true
  const { amount, unit } = (value ?? {}) as { readonly amount?: unknown; readonly unit?: unknown }
  return Number.isInteger(amount) && Number(amount) >= 1 && typeof unit === "string"
}

const isValue = (kind: FieldKind, value: unknown): boolean => {
  switch (kind) {
    case "activity":
      return isWindow(value)
    case "number":
      return typeof value === "number" && Number.isFinite(value)
    case "tags":
      return Array.isArray(value) && value.length > 0
    default:
      return typeof value === "string" && value !== ""
  }
}

/** Whether a condition has all that the service needs to read it. */
export const isFinished = ({ byName }: Vocabulary, { field, operator, value }: RuleType): boolean => {
  const found = byName.get(field)
  if (found === undefined || !found.operators.includes(operator)) return false
  return !takesValue(operator) || isValue(found.kind, value)
}

/** The paths of what is not finished: conditions, and groups without conditions. */
export const unfinishedIn = (vocabulary: Vocabulary, query: RuleGroupType): ReadonlyArray<string> => [
  ...leavesOf(query).flatMap(({ path, rule }) => (isFinished(vocabulary, rule) ? [] : [pathOf(path)])),
  ...emptyGroupsOf(query).map(pathOf),
]

/** The finished conditions of a query, and the groups that hold some. */
export const finishedOf = (vocabulary: Vocabulary, query: RuleGroupType): RuleGroupType => ({
  ...query,
  rules: query.rules.flatMap((node): ReadonlyArray<RuleGroupType | RuleType> => {
    if (!isQueryGroup(node)) return isFinished(vocabulary, node) ? [node] : []
    const kept = finishedOf(vocabulary, node)
    return kept.rules.length === 0 ? [] : [kept]
  }),
})

/** Ids of custom fields that the query names and the metadata does not have: they are archived, or do not exist. */
export const unknownFieldsIn = ({ custom_fields }: RuleMetadata, query: RuleGroupType): ReadonlyArray<string> => {
  const known = new Set(custom_fields.map(({ field_definition_id }) => field_definition_id))
  return leavesOf(query).flatMap(({ rule }) => {
    const [source, key] = partsOf(rule.field)
    return source === "custom_field" && !known.has(key) ? [key] : []
  })
}
