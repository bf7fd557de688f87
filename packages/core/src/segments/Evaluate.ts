// What a rule tree means: compiled once into a predicate over a contact and what is known of them. Every store's query
// must pick exactly the contacts that this says yes to.
import { DateTime } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import { type Contact, customValue, type CustomValue } from "../contacts/Contact.ts"
import { standardFieldByKey, type ValueType } from "../contacts/ContactFields.ts"
import type { ListId } from "../kernel/Ids.ts"
import { fold, isBlank } from "../kernel/Text.ts"
import type { RuleField } from "./RuleFacts.ts"
import {
  type ActivityCondition,
  conditionsOf,
  type ContactCondition,
  type CustomFieldCondition,
  type RuleCondition,
  type RuleGroupOf,
  type RuleTree,
  type StepCondition,
  type TimeWindow,
  type ValueOperator,
} from "./RuleTree.ts"
import { timeRangeOf, startOf } from "./TimeRange.ts"

/** A contact, and what rules may ask of them besides. */
export interface RuleSubject {
  readonly contact: Contact
  /**
   * The latest of each type that the tree names is enough: conditions ask whether one stands at or after an instant, and
   * never before one.
   */
  readonly activities: ReadonlyArray<Pick<Activity, "type" | "at">>
  /** The static lists that the contact is a member of: all of them, or those that the tree names. */
  readonly lists: ReadonlySet<ListId>
}

/** What the tree's own words are read by: the custom fields that it names, and the instant that time windows end at. */
export interface RuleReading {
  readonly fields: ReadonlyArray<RuleField>
  readonly now: DateTime.Utc
}

export type RulePredicate = (subject: RuleSubject) => boolean

export const compileRules = (tree: RuleTree, reading: RuleReading): RulePredicate =>
  compileTree(tree, (condition) => compileCondition(condition, reading))

/** When a time window begins that ends at `now`. Months go by the calendar: a month back from 31 March is the end of February. */
export const windowStart = (now: DateTime.Utc, { amount, unit }: TimeWindow): DateTime.Utc =>
  DateTime.subtract(now, { [`${unit}s`]: amount })

/** A custom field that rules name although it is archived: its conditions match nobody. */
export interface RuleIssue {
  readonly label: string
  readonly provider: string | null
  readonly apiName: string
}

/** One for each archived field that the tree names, in the order in which it names them. */
export const ruleIssues = (tree: RuleTree, fields: ReadonlyArray<RuleField>): ReadonlyArray<RuleIssue> => {
  const named = conditionsOf(tree).flatMap((each) => (each.source === "custom_field" ? [each.fieldDefinitionId] : []))
  return [...new Set(named)].flatMap((id) => {
    const field = fields.find((each) => each.id === id)
    return field?.status === "archived"
      ? [{ label: field.displayName, provider: field.provenanceProvider, apiName: field.apiName }]
      : []
  })
}

const nobody: RulePredicate = () => false

/** What a tree means of subjects of any kind, given what each of its conditions means of one. */
export const compileTree = <Condition extends StepCondition, Subject>(
  group: RuleGroupOf<Condition>,
  compileLeaf: (condition: Condition) => (subject: Subject) => boolean,
): ((subject: Subject) => boolean) => {
  const parts = group.conditions.map((each) =>
    each.kind === "group" ? compileTree(each, compileLeaf) : compileLeaf(each),
  )
  const decides = group.operator === "or"
  return (subject) => {
    for (const holds of parts) if (holds(subject) === decides) return decides
    return !decides
  }
}

/** What one condition means, wherever in a tree it stands. */
export const compileCondition = (condition: RuleCondition, reading: RuleReading): RulePredicate => {
  switch (condition.source) {
    case "contact":
      return compileContact(condition)
    case "custom_field":
      return compileCustomField(condition, reading.fields)
    case "activity":
      return compileActivity(condition, reading.now)
    case "list_membership": {
      const { listId } = condition
      const member = condition.operator === "is_member"
      return ({ lists }) => lists.has(listId) === member
    }
  }
}

const compileContact = ({ field: named, operator, value }: ContactCondition): RulePredicate => {
  const field = standardFieldByKey.get(named)
  if (field === undefined) return nobody
  const holds = compareWith(field.valueType, operator, value)
  if (field.kind === "instant") {
    const { key } = field
    return ({ contact }) => holds(contact[key]?.epochMilliseconds ?? null)
  }
  const { key } = field
  return ({ contact }) => holds(contact[key])
}

/** The field that a condition is about, if it can hold: an archived one holds for nobody, also under a negative operator. */
export const usableField = (
  { fieldDefinitionId }: CustomFieldCondition,
  fields: ReadonlyArray<RuleField>,
): RuleField | undefined => {
  const field = fields.find((each) => each.id === fieldDefinitionId)
  return field?.status === "archived" ? undefined : field
}

const compileCustomField = (condition: CustomFieldCondition, fields: ReadonlyArray<RuleField>): RulePredicate => {
  const field = usableField(condition, fields)
  if (field === undefined) return nobody
  const { apiName, valueType } = field
  const holds = compareWith(valueType, condition.operator, condition.value)
  if (valueType !== "date") return ({ contact }) => holds(customValue(contact, apiName))
  return ({ contact }) => {
    const stored = customValue(contact, apiName)
    return holds(typeof stored === "string" ? startOf(stored) : stored)
  }
}

const compileActivity = (
  { activityType, operator, timeWindow }: ActivityCondition,
  now: DateTime.Utc,
): RulePredicate => {
  const since = timeWindow === undefined ? -Infinity : windowStart(now, timeWindow).epochMilliseconds
  const wanted = operator === "has_activity"
  return ({ activities }) => {
    for (const { type, at } of activities) {
      if (type === activityType && at.epochMilliseconds >= since) return wanted
    }
    return !wanted
  }
}

/** Of a value as it is stored; instants are epoch milliseconds. */
export type Comparison = (stored: CustomValue | null) => boolean

const not =
  (holds: Comparison): Comparison =>
  (stored) =>
    !holds(stored)

const never: Comparison = () => false

const isEmpty: Comparison = (stored) => stored === null || (typeof stored === "string" && isBlank(stored))

/** Negative operators are the exact complements of the positive ones: they hold for a field without a value. */
export const compareWith = (
  type: ValueType,
  operator: ValueOperator,
  value: string | number | undefined,
): Comparison => {
  switch (operator) {
    case "is_empty":
      return isEmpty
    case "is_not_empty":
      return not(isEmpty)
    case "is_true":
      return (stored) => stored === true
    case "is_false":
      return (stored) => stored === false
    case "not_equals":
      return not(compareWith(type, "equals", value))
    case "not_contains":
      return not(compareWith(type, "contains", value))
    default: {
      if (type === "string") return compareText(operator, fold(String(value)))
      const stretch = stretchOf(type, value)
      return stretch === undefined ? never : compareOrdered(operator, stretch)
    }
  }
}

type PositiveOperator = Exclude<
  ValueOperator,
  "is_empty" | "is_not_empty" | "is_true" | "is_false" | "not_equals" | "not_contains"
>

/** Many contacts have one and the same word (a stage, a country): the last one's answer is kept. */
const remembering = (test: (folded: string) => boolean): Comparison => {
  let asked = ""
  let answer = test("")
  return (stored) => {
    if (typeof stored !== "string") return false
    if (stored !== asked) {
      answer = test(fold(stored))
      asked = stored
    }
    return answer
  }
}

// One function for each operator: what is asked of millions is not chosen again for each.

const compareText = (operator: PositiveOperator, folded: string): Comparison => {
  switch (operator) {
    case "equals":
      return remembering((text) => text === folded)
    case "contains":
      return remembering((text) => text.includes(folded))
    case "starts_with":
      return remembering((text) => text.startsWith(folded))
    case "ends_with":
      return remembering((text) => text.endsWith(folded))
    default:
      return never
  }
}

/** What a value stands for, both ends in it: a number for itself alone, a date for a day or a millisecond. */
interface Stretch {
  readonly first: number
  readonly last: number
}

const stretchOf = (type: ValueType, value: string | number | undefined): Stretch | undefined => {
  if (type !== "date") return typeof value === "number" ? { first: value, last: value } : undefined
  const span = typeof value === "string" ? timeRangeOf(value) : undefined
  return span && { first: span.from, last: span.until - 1 }
}

const compareOrdered = (operator: PositiveOperator, { first, last }: Stretch): Comparison => {
  switch (operator) {
    case "equals":
      return (stored) => typeof stored === "number" && stored >= first && stored <= last
    case "greater_than":
      return (stored) => typeof stored === "number" && stored > last
    case "greater_than_or_equal":
      return (stored) => typeof stored === "number" && stored >= first
    case "less_than":
      return (stored) => typeof stored === "number" && stored < first
    case "less_than_or_equal":
      return (stored) => typeof stored === "number" && stored <= last
    default:
      return never
  }
}
