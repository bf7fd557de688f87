// Explanations of rule trees for a contact: each condition, the contact's value, and whether the condition holds.
import type { DateTime } from "effect"
import { customValue, type CustomValue } from "../contacts/Contact.ts"
import { standardFieldByKey } from "../contacts/ContactFields.ts"
import {
  compileCondition,
  compileRules,
  type RuleContext,
  type RuleSubject,
  topicStatusIn,
  usableField,
} from "./Evaluate.ts"
import type { RuleField } from "./RuleFacts.ts"
import { leavesOf, type RuleCondition, type RuleTree } from "./RuleTree.ts"

/** A condition of a tree, and its result for one contact. */
export interface ExplainedCondition {
  /** The path below the root: `conditions.0.conditions.1`. */
  readonly path: string
  readonly condition: RuleCondition
  readonly value: ContactValue
  readonly held: boolean
}

/**
 * The contact's own value: the field's value, the time of the latest activity of the type (at any time), whether the contact is
 * on the list, or its status for the topic. Null if there is none, for an archived field and for a deleted topic.
 */
export type ContactValue = CustomValue | DateTime.Utc | null

export interface Explanation {
  readonly matches: boolean
  /** In the order of the tree. */
  readonly conditions: ReadonlyArray<ExplainedCondition>
}

/** Compiles once, for any number of contacts. */
export const explainRules = (tree: RuleTree, context: RuleContext): ((subject: RuleSubject) => Explanation) => {
  const matches = compileRules(tree, context)
  const leaves = leavesOf(tree).map(({ path, condition }) => ({
    path,
    condition,
    holds: compileCondition(condition, context),
    valueOf: compileValue(condition, context.fields),
  }))
  return (subject) => ({
    matches: matches(subject),
    conditions: leaves.map(({ path, condition, holds, valueOf }) => ({
      path,
      condition,
      value: valueOf(subject),
      held: holds(subject),
    })),
  })
}

/** The paths of all conditions that hold for a contact, also if they do not affect the result of the tree. */
export const matchedPaths = (
  tree: RuleTree,
  context: RuleContext,
): ((subject: RuleSubject) => ReadonlyArray<string>) => {
  const explain = explainRules(tree, context)
  return (subject) => explain(subject).conditions.flatMap(({ path, held }) => (held ? [path] : []))
}

const compileValue = (
  condition: RuleCondition,
  fields: ReadonlyArray<RuleField>,
): ((subject: RuleSubject) => ContactValue) => {
  switch (condition.source) {
    case "contact": {
      const field = standardFieldByKey.get(condition.field)
      return field === undefined ? () => null : ({ contact }) => contact[field.key]
    }
    case "custom_field": {
      const field = usableField(condition, fields)
      return field === undefined ? () => null : ({ contact }) => customValue(contact, field.apiName)
    }
    case "activity":
      return (subject) => latest(subject, condition.activityType)
    case "list_membership":
      return ({ lists }) => lists.has(condition.listId)
    case "topic":
      return (subject) => topicStatusIn(subject, condition.topicId) ?? null
  }
}

const latest = ({ activities }: RuleSubject, type: RuleSubject["activities"][number]["type"]): DateTime.Utc | null => {
  let last: DateTime.Utc | null = null
  for (const each of activities) {
    if (each.type === type && (last === null || each.at.epochMilliseconds > last.epochMilliseconds)) last = each.at
  }
  return last
}
