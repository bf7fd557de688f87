// Why a contact is or isn't among those that a rule tree picks: every condition, with what the contact has and whether it
// held. Conditions mean here what they mean to the evaluator: the same compiled ones are asked.
import type { DateTime } from "effect"
import { customValue, type CustomValue } from "../contacts/Contact.ts"
import { standardFieldByKey } from "../contacts/ContactFields.ts"
import { compileCondition, compileRules, type RuleReading, type RuleSubject, usableField } from "./Evaluate.ts"
import type { RuleField } from "./RuleFacts.ts"
import { leavesOf, type RuleCondition, type RuleTree } from "./RuleTree.ts"

/** A condition of a tree, and how it went with one contact. */
export interface ExplainedCondition {
  /** Below the root: `conditions.0.conditions.1`. */
  readonly path: string
  readonly condition: RuleCondition
  readonly value: OwnValue
  readonly held: boolean
}

/**
 * What the contact has, whatever the condition compares it with: of a field its value, of activities the latest of that
 * type at any time, of a list whether they are on it. Null for none, and for a field that is archived.
 */
export type OwnValue = CustomValue | DateTime.Utc | null

export interface Explanation {
  readonly matches: boolean
  /** In the order in which they stand. */
  readonly conditions: ReadonlyArray<ExplainedCondition>
}

/** Compiled once, for any number of contacts. */
export const explainRules = (tree: RuleTree, reading: RuleReading): ((subject: RuleSubject) => Explanation) => {
  const picks = compileRules(tree, reading)
  const leaves = leavesOf(tree).map(({ path, condition }) => ({
    path,
    condition,
    holds: compileCondition(condition, reading),
    valueOf: compileValue(condition, reading.fields),
  }))
  return (subject) => ({
    matches: picks(subject),
    conditions: leaves.map(({ path, condition, holds, valueOf }) => ({
      path,
      condition,
      value: valueOf(subject),
      held: holds(subject),
    })),
  })
}

/** The paths of all conditions that hold for a contact, also where another one has settled the matter. */
export const matchedPaths = (
  tree: RuleTree,
  reading: RuleReading,
): ((subject: RuleSubject) => ReadonlyArray<string>) => {
  const leaves = leavesOf(tree).map(({ path, condition }) => ({ path, holds: compileCondition(condition, reading) }))
  return (subject) => leaves.flatMap(({ path, holds }) => (holds(subject) ? [path] : []))
}

const compileValue = (
  condition: RuleCondition,
  fields: ReadonlyArray<RuleField>,
): ((subject: RuleSubject) => OwnValue) => {
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
  }
}

const latest = ({ activities }: RuleSubject, type: RuleSubject["activities"][number]["type"]): DateTime.Utc | null => {
  let last: DateTime.Utc | null = null
  for (const each of activities) {
    if (each.type === type && (last === null || each.at.epochMilliseconds > last.epochMilliseconds)) last = each.at
  }
  return last
}
