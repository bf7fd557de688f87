// What a rule tree means: compiled once into a predicate over a contact and what is known of them. Every store's query
// must pick exactly the contacts that this says yes to.
import { DateTime } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import { type Contact, customValue, type CustomValue } from "../contacts/Contact.ts"
import { standardFieldByKey, type ValueType } from "../contacts/ContactFields.ts"
import type { ListId } from "../Ids.ts"
import { fold, isBlank } from "../Text.ts"
import type { RuleField } from "./RuleFacts.ts"
import {
  type ActivityCondition,
  conditionsOf,
  type ContactCondition,
  type CustomFieldCondition,
  type RuleCondition,
  type RuleNode,
  type RuleTree,
  type TimeWindow,
  type ValueOperator,
} from "./RuleTree.ts"
import { type Span, spanOf } from "./Span.ts"

/** A contact, and what rules may ask of them besides. */
export interface RuleSubject {
  readonly contact: Contact
  readonly activities: ReadonlyArray<Pick<Activity, "type" | "at">>
  /** The static lists that the contact is a member of. */
  readonly lists: ReadonlySet<ListId>
}

/** What the tree's own words are read by: the custom fields that it names, and the instant that time windows end at. */
export interface RuleReading {
  readonly fields: ReadonlyArray<RuleField>
  readonly now: DateTime.Utc
}

export type RulePredicate = (subject: RuleSubject) => boolean

export const compileRules = (tree: RuleTree, reading: RuleReading): RulePredicate => compileNode(tree, reading)

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

const compileNode = (node: RuleNode, reading: RuleReading): RulePredicate => {
  if (node.kind === "condition") return compileCondition(node, reading)
  const parts = node.conditions.map((each) => compileNode(each, reading))
  return node.operator === "and"
    ? (subject) => parts.every((holds) => holds(subject))
    : (subject) => parts.some((holds) => holds(subject))
}

const compileCondition = (condition: RuleCondition, reading: RuleReading): RulePredicate => {
  switch (condition.source) {
    case "contact":
      return compileContact(condition)
    case "custom_field":
      return compileCustomField(condition, reading.fields)
    case "activity":
      return compileActivity(condition, reading.now)
    case "list_membership": {
      const member = condition.operator === "is_member"
      return ({ lists }) => lists.has(condition.listId) === member
    }
  }
}

const compileContact = ({ field: key, operator, value }: ContactCondition): RulePredicate => {
  const field = standardFieldByKey.get(key)
  if (field === undefined) return nobody
  const holds = compareWith(field.valueType, operator, value)
  return ({ contact }) => holds(plain(contact[field.key]))
}

const compileCustomField = (
  { fieldDefinitionId, operator, value }: CustomFieldCondition,
  fields: ReadonlyArray<RuleField>,
): RulePredicate => {
  const field = fields.find((each) => each.id === fieldDefinitionId)
  // An archived field holds for nobody, also where a negative operator would say yes to everybody.
  if (field === undefined || field.status === "archived") return nobody
  const holds = compareWith(field.valueType, operator, value)
  return ({ contact }) => {
    const stored = customValue(contact, field.apiName)
    return holds(field.valueType === "date" && typeof stored === "string" ? (spanOf(stored)?.from ?? null) : stored)
  }
}

const compileActivity = (
  { activityType, operator, timeWindow }: ActivityCondition,
  now: DateTime.Utc,
): RulePredicate => {
  const since = timeWindow === undefined ? -Infinity : windowStart(now, timeWindow).epochMilliseconds
  const wanted = operator === "has_activity"
  return ({ activities }) =>
    activities.some(({ type, at }) => type === activityType && at.epochMilliseconds >= since) === wanted
}

/** A stored value as it is compared: instants are epoch milliseconds. */
type Stored = CustomValue | null

const plain = (value: Contact[keyof Contact]): Stored =>
  DateTime.isDateTime(value) ? value.epochMilliseconds : typeof value === "object" ? null : value

type Comparison = (stored: Stored) => boolean

const not =
  (holds: Comparison): Comparison =>
  (stored) =>
    !holds(stored)

const isEmpty: Comparison = (stored) => stored === null || (typeof stored === "string" && isBlank(stored))

/** Negative operators are the exact complements of the positive ones: they hold for a field without a value. */
const compareWith = (type: ValueType, operator: ValueOperator, value: string | number | undefined): Comparison => {
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
    default:
      return type === "string" ? compareText(operator, String(value)) : compareOrdered(operator, boundsOf(type, value))
  }
}

type PositiveOperator = Exclude<
  ValueOperator,
  "is_empty" | "is_not_empty" | "is_true" | "is_false" | "not_equals" | "not_contains"
>

const textTests: { readonly [Operator in PositiveOperator]?: (text: string, value: string) => boolean } = {
  equals: (text, value) => text === value,
  contains: (text, value) => text.includes(value),
  starts_with: (text, value) => text.startsWith(value),
  ends_with: (text, value) => text.endsWith(value),
}

const compareText = (operator: PositiveOperator, value: string): Comparison => {
  const test = textTests[operator]
  const folded = fold(value)
  return (stored) => test !== undefined && typeof stored === "string" && test(fold(stored), folded)
}

/** A number is a stretch of itself alone; a date is a day or a millisecond. */
interface Bounds {
  readonly below: (stored: number) => boolean
  readonly above: (stored: number) => boolean
}

const boundsOf = (type: ValueType, value: string | number | undefined): Bounds | undefined => {
  if (type === "date") {
    const span: Span | undefined = typeof value === "string" ? spanOf(value) : undefined
    return span && { below: (stored) => stored < span.from, above: (stored) => stored >= span.until }
  }
  return typeof value === "number"
    ? { below: (stored) => stored < value, above: (stored) => stored > value }
    : undefined
}

const orderTests: { readonly [Operator in PositiveOperator]?: (below: boolean, above: boolean) => boolean } = {
  equals: (below, above) => !below && !above,
  greater_than: (_, above) => above,
  greater_than_or_equal: (below) => !below,
  less_than: (below) => below,
  less_than_or_equal: (_, above) => !above,
}

const compareOrdered = (operator: PositiveOperator, bounds: Bounds | undefined): Comparison => {
  const test = orderTests[operator]
  if (test === undefined || bounds === undefined) return () => false
  return (stored) => typeof stored === "number" && test(bounds.below(stored), bounds.above(stored))
}
