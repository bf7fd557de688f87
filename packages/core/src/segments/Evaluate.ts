// The evaluator of rule trees. Queries of stores must return exactly the contacts for which its predicate is true.
import { DateTime } from "effect"
import type { PastActivity } from "../contacts/Activity.ts"
import { type Contact, customValue, type CustomValue, isTags, type Tags } from "../contacts/Contact.ts"
import { standardFieldByKey, type ValueType } from "../contacts/ContactFields.ts"
import type { ListId, TopicId } from "../kernel/Ids.ts"
import type { TopicStatus } from "../topics/Topic.ts"
import { foldTags } from "../contacts/values/Tags.ts"
import { fold, isBlank } from "../kernel/Text.ts"
import type { RuleField } from "./RuleFacts.ts"
import {
  type ActivityCondition,
  type ComparedValue,
  conditionsOf,
  type ContactCondition,
  type CustomFieldCondition,
  type RuleCondition,
  type RuleGroupOf,
  type RuleTree,
  type StepCondition,
  type TimeWindow,
  type TopicCondition,
  type ValueOperator,
} from "./RuleTree.ts"
import { timeRangeOf, startOf } from "./TimeRange.ts"

/** A contact, and the facts besides its fields that rules need. */
export interface RuleSubject {
  readonly contact: Contact
  /** At least the latest of each type that the tree names: conditions ask only for activities since an instant. */
  readonly activities: ReadonlyArray<PastActivity>
  /** The contact's static lists: all, or those that the tree names. */
  readonly lists: ReadonlySet<ListId>
  /** Statuses for topics, recorded or by default: for all topics, or those that the tree names. A deleted topic has none. */
  readonly topics: ReadonlyMap<TopicId, TopicStatus>
}

/** The context of an evaluation: the custom fields that the tree names, and the instant at which time windows end. */
export interface RuleContext {
  readonly fields: ReadonlyArray<RuleField>
  readonly now: DateTime.Utc
}

export type RulePredicate = (subject: RuleSubject) => boolean

export const compileRules = (tree: RuleTree, context: RuleContext): RulePredicate =>
  compileTree(tree, (condition) => compileCondition(condition, context))

/** The start of a time window that ends at `now`. Months follow the calendar: one month before 31 March is the end of February. */
export const windowStart = (now: DateTime.Utc, { amount, unit }: TimeWindow): DateTime.Utc =>
  DateTime.subtract(now, { [`${unit}s`]: amount })

/** An archived custom field that rules name. Its conditions hold for no contact. */
export interface RuleIssue {
  readonly label: string
  readonly provider: string | null
  readonly apiName: string
}

/** One issue for each archived field that the tree names, in the order of the tree. */
export const ruleIssues = (tree: RuleTree, fields: ReadonlyArray<RuleField>): ReadonlyArray<RuleIssue> => {
  const named = conditionsOf(tree).flatMap((each) => (each.source === "custom_field" ? [each.fieldDefinitionId] : []))
  return [...new Set(named)].flatMap((id) => {
    const field = fields.find((each) => each.id === id)
    return field?.status === "archived"
      ? [{ label: field.displayName, provider: field.provenanceProvider, apiName: field.apiName }]
      : []
  })
}

const matchesNone: RulePredicate = () => false

/** Compiles a tree for subjects of any kind. `compileLeaf` compiles its conditions. */
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

export const compileCondition = (condition: RuleCondition, context: RuleContext): RulePredicate => {
  switch (condition.source) {
    case "contact":
      return compileContact(condition)
    case "custom_field":
      return compileCustomField(condition, context.fields)
    case "activity":
      return compileActivity(condition, context.now)
    case "list_membership": {
      const { listId } = condition
      const member = condition.operator === "is_member"
      return ({ lists }) => lists.has(listId) === member
    }
    case "topic":
      return compileTopic(condition)
  }
}

/** The status in force: contacts that unsubscribed from all marketing are not subscribed. Undefined for a deleted topic. */
export const topicStatusIn = ({ contact, topics }: RuleSubject, topic: TopicId): TopicStatus | undefined => {
  const status = topics.get(topic)
  return status === "subscribed" && contact.unsubscribed ? "unsubscribed" : status
}

/** A condition on a deleted topic holds for no contact. */
const compileTopic = ({ operator, topicId }: TopicCondition): RulePredicate => {
  switch (operator) {
    case "is_subscribed":
      return (subject) => topicStatusIn(subject, topicId) === "subscribed"
    case "is_pending":
      return (subject) => topicStatusIn(subject, topicId) === "pending"
    case "is_not_subscribed":
      return (subject) => {
        const status = topicStatusIn(subject, topicId)
        return status !== undefined && status !== "subscribed"
      }
  }
}

const compileContact = ({ field: named, operator, value }: ContactCondition): RulePredicate => {
  const field = standardFieldByKey.get(named)
  if (field === undefined) return matchesNone
  const holds = compareWith(field.valueType, operator, value)
  if (field.kind === "instant") {
    const { key } = field
    return ({ contact }) => holds(contact[key]?.epochMilliseconds ?? null)
  }
  const { key } = field
  return ({ contact }) => holds(contact[key])
}

/** The field of a condition, or undefined if it is archived: its conditions never hold, negative operators included. */
export const usableField = (
  { fieldDefinitionId }: CustomFieldCondition,
  fields: ReadonlyArray<RuleField>,
): RuleField | undefined => {
  const field = fields.find((each) => each.id === fieldDefinitionId)
  return field?.status === "archived" ? undefined : field
}

const compileCustomField = (condition: CustomFieldCondition, fields: ReadonlyArray<RuleField>): RulePredicate => {
  const field = usableField(condition, fields)
  if (field === undefined) return matchesNone
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

/** A predicate over a stored value. Instants are epoch milliseconds. */
export type Comparison = (stored: CustomValue | null) => boolean

const not =
  (holds: Comparison): Comparison =>
  (stored) =>
    !holds(stored)

const never: Comparison = () => false

const isEmpty: Comparison = (stored) => stored === null || (typeof stored === "string" && isBlank(stored))

/** Negative operators are the complements of the positive ones: they hold for a field without a value. */
export const compareWith = (type: ValueType, operator: ValueOperator, value: ComparedValue | undefined): Comparison => {
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
    case "contains_none":
      return not(compareWith(type, "contains_any", value))
    default: {
      if (type === "tags") return ifTags(tagTests(wantedTags(value))[operator])
      if (type === "string") return cacheLast(textTests(fold(String(value)))[operator])
      const range = numberRangeOf(type, value)
      return range === undefined ? never : ifNumber(orderTests(range)[operator])
    }
  }
}

// One function for each operator, so that the operator is chosen once and not again for each contact.

type Tests<Value> = { readonly [Operator in ValueOperator]?: (value: Value) => boolean }

const textTests = (folded: string): Tests<string> => ({
  equals: (text) => text === folded,
  contains: (text) => text.includes(folded),
  starts_with: (text) => text.startsWith(folded),
  ends_with: (text) => text.endsWith(folded),
})

/** Caches the last value and its result, because many contacts share one value (a stage, a country). */
const cacheLast = (test: ((folded: string) => boolean) | undefined): Comparison => {
  if (test === undefined) return never
  let lastStored = ""
  let lastResult = test("")
  return (stored) => {
    if (typeof stored !== "string") return false
    if (stored !== lastStored) {
      lastResult = test(fold(stored))
      lastStored = stored
    }
    return lastResult
  }
}

/** The folded words of a condition on tags. */
export const wantedTags = (value: ComparedValue | undefined): Tags => (typeof value === "object" ? foldTags(value) : [])

const tagTests = (wanted: Tags): Tests<ReadonlySet<string>> =>
  wanted.length === 0
    ? {}
    : {
        contains_any: (words) => wanted.some((word) => words.has(word)),
        contains_all: (words) => wanted.every((word) => words.has(word)),
      }

const ifTags = (test: ((folded: ReadonlySet<string>) => boolean) | undefined): Comparison =>
  test === undefined ? never : (stored) => isTags(stored) && test(new Set(foldTags(stored)))

/** The numbers that a value includes, both ends inclusive: a number itself, a date its day or millisecond. */
interface NumberRange {
  readonly first: number
  readonly last: number
}

const numberRangeOf = (type: ValueType, value: ComparedValue | undefined): NumberRange | undefined => {
  if (type !== "date") return typeof value === "number" ? { first: value, last: value } : undefined
  const range = typeof value === "string" ? timeRangeOf(value) : undefined
  return range && { first: range.from, last: range.until - 1 }
}

const orderTests = ({ first, last }: NumberRange): Tests<number> => ({
  equals: (stored) => stored >= first && stored <= last,
  greater_than: (stored) => stored > last,
  greater_than_or_equal: (stored) => stored >= first,
  less_than: (stored) => stored < first,
  less_than_or_equal: (stored) => stored <= last,
})

const ifNumber = (test: ((stored: number) => boolean) | undefined): Comparison =>
  test === undefined ? never : (stored) => typeof stored === "number" && test(stored)
