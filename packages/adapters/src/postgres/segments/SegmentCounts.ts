// Counts of the contacts that a rule tree matches. The condition that finds contacts one by one is not always the fastest to
// count. When few contacts have an activity that the tree requires, their ids are read from the activities and looked up by key.
// The planner estimates every array at ten elements, so the choice is made here, with the planner's own estimates.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type ActivityCondition, loneCondition, type RuleNode, type RuleTree } from "@tentpole/core/segments/RuleTree"
import type { Segment } from "@tentpole/core/segments/SegmentStore"
import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { contactsWhere } from "../contacts/ContactPages.ts"
import { didSince, ruleCondition, type SqlReading, withColumns } from "./RuleSql.ts"

type Sql = PgClient.PgClient
type Fragment = Statement.Fragment

/**
 * The maximum length of the id array. With a million it takes about 40 MB, less than the `work_mem` of long reads. A contact that has
 * several such activities is in it several times. Up to this length it was always faster than one contact after the other.
 */
const array_length_max = 1_000_000

/** A tree split into a required activity and the remaining conditions. Null when the tree cannot be split. */
interface ActivitySplit {
  readonly activity: ActivityCondition
  /** Null when there are no other conditions. */
  readonly rest: RuleTree | null
}

const isRequiredActivity = (node: RuleNode): node is ActivityCondition =>
  node.kind === "condition" && node.source === "activity" && node.operator === "has_activity"

const splitByActivity = (tree: RuleTree): ActivitySplit | null => {
  const only = loneCondition(tree)
  if (only !== undefined) return isRequiredActivity(only) ? { activity: only, rest: null } : null
  const activity = tree.operator === "and" ? tree.conditions.find(isRequiredActivity) : undefined
  return activity === undefined
    ? null
    : { activity, rest: { ...tree, conditions: tree.conditions.filter((each) => each !== activity) } }
}

const Explained = Schema.Tuple([
  Schema.Struct({ Plan: Schema.Struct({ "Plan Rows": Schema.Finite, "Total Cost": Schema.Finite }) }),
])
const readExplained = Schema.decodeUnknownEffect(Explained)

/** The planner's estimates for a query. One unit of cost is about one page read sequentially. */
const estimate = Effect.fnUntraced(function* (sql: Sql, query: Fragment) {
  const [row] = yield* sql<{ readonly "QUERY PLAN": unknown }>`explain (format json) ${query}`
  const [{ Plan }] = yield* Effect.orDie(readExplained(row?.["QUERY PLAN"]))
  return { rows: Plan["Plan Rows"], cost: Plan["Total Cost"] }
})

/** `ruleCondition` in the form that is fastest to count, in the caller's fence. */
export const countingCondition = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  tree: RuleTree,
  reading: SqlReading,
) {
  const oneByOne = ruleCondition(sql, workspace, tree, reading)
  const split = splitByActivity(tree)
  if (split === null) return oneByOne
  const matching = sql`select a.contact_id ${didSince({ sql, workspace, reading }, split.activity)}`
  const { rows: matching_count } = yield* estimate(sql, matching)
  if (matching_count > array_length_max) return oneByOne
  const inTimeline = sql`c.contact_id = any(array(${matching}))`
  if (split.rest === null) return inTimeline
  const holds = ruleCondition(sql, workspace, split.rest, reading)
  const others = yield* estimate(
    sql,
    sql`select from fenced_contact c where c.workspace_id = ${workspace} and ${holds}`,
  )
  // Looks up each contact with the activity, or finds the others and checks the activity of each: about one page a contact.
  return matching_count < others.cost + others.rows ? sql.and([inTimeline, holds]) : oneByOne
})

/** The contacts that a tree matches, in the form that is fastest to count. */
export const segmentCounted = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { tree, fields, now }: Segment,
) {
  const reading = { fields: yield* withColumns(sql, workspace, fields), now }
  const condition = yield* countingCondition(sql, workspace, tree, reading)
  return contactsWhere(sql, workspace, condition)
})
