// How many contacts a tree picks. The condition that finds them one by one is not always the one that counts them best: where
// a tree asks for something that few have done, the timeline knows them all, and their ids as an array lead along the
// contacts' key. The planner takes every array for ten elements, so that it is decided here, by the planner's own estimates.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type ActivityCondition, loneCondition, type RuleNode, type RuleTree } from "@tentpole/core/segments/RuleTree"
import type { Segment } from "@tentpole/core/segments/SegmentStore"
import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { didSince, ruleCondition, type SqlReading, withColumns } from "./RuleSql.ts"

type Sql = PgClient.PgClient
type Fragment = Statement.Fragment

/** As large as an array of ids gets: 16 bytes each, and who did something twice stands there twice. */
const array_length_max = 500_000

/** A tree as "whoever did this, and for whom the rest holds". Null where it isn't one. */
interface Doers {
  readonly did: ActivityCondition
  /** Null when nothing else is asked. */
  readonly rest: RuleTree | null
}

const isDeed = (node: RuleNode): node is ActivityCondition =>
  node.kind === "condition" && node.source === "activity" && node.operator === "has_activity"

const doersOf = (tree: RuleTree): Doers | null => {
  const only = loneCondition(tree)
  if (only !== undefined) return isDeed(only) ? { did: only, rest: null } : null
  const did = tree.operator === "and" ? tree.conditions.find(isDeed) : undefined
  return did === undefined
    ? null
    : { did, rest: { ...tree, conditions: tree.conditions.filter((each) => each !== did) } }
}

const Explained = Schema.Tuple([
  Schema.Struct({ Plan: Schema.Struct({ "Plan Rows": Schema.Finite, "Total Cost": Schema.Finite }) }),
])
const readExplained = Schema.decodeUnknownEffect(Explained)

/** What the planner expects of a query; its unit of cost is about that of a page read in its order. */
const expected = Effect.fnUntraced(function* (sql: Sql, query: Fragment) {
  const [row] = yield* sql<{ readonly "QUERY PLAN": unknown }>`explain (format json) ${query}`
  const [{ Plan }] = yield* Effect.orDie(readExplained(row?.["QUERY PLAN"]))
  return { rows: Plan["Plan Rows"], cost: Plan["Total Cost"] }
})

/** As `ruleCondition`, for counting; within the fence of whoever counts. */
export const countingCondition = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  tree: RuleTree,
  reading: SqlReading,
) {
  const oneByOne = ruleCondition(sql, workspace, tree, reading)
  const doers = doersOf(tree)
  if (doers === null) return oneByOne
  const deeds = sql`select a.contact_id from activity a where ${didSince({ sql, workspace, reading }, doers.did)}`
  const { rows: deeds_count } = yield* expected(sql, deeds)
  if (deeds_count > array_length_max) return oneByOne
  const among = sql`c.contact_id = any(array(${deeds}))`
  if (doers.rest === null) return among
  const holds = ruleCondition(sql, workspace, doers.rest, reading)
  const others = yield* expected(
    sql,
    sql`select from fenced_contact c where c.workspace_id = ${workspace} and ${holds}`,
  )
  // Either each of the doers is looked up, or the others are found and each is asked what they did: about a page a person.
  return deeds_count < others.cost + others.rows ? sql.and([among, holds]) : oneByOne
})

/** The contacts that a tree picks, for a count of them. */
export const segmentCounted = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { tree, fields, now }: Segment,
) {
  const reading = { fields: yield* withColumns(sql, workspace, fields), now }
  const condition = yield* countingCondition(sql, workspace, tree, reading)
  return { from: sql.literal("fenced_contact c"), where: sql`c.workspace_id = ${workspace} and ${condition}` }
})
