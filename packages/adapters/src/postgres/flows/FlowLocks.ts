// How flows are held: shared by whoever moves their members, alone by whoever pauses, edits or deletes them. By a lock with a
// line, and not by that of the row: members are moved all the time, and who wants the flow alone would never have its turn.
import type { PgClient } from "@effect/sql-pg"
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"

type Sql = PgClient.PgClient

const key = (sql: Sql) => sql.literal("hashtextextended('flow ' || each.flow_id, 0)")

/** In the order of their ids, which `offset` keeps the planner from changing. */
const inOrder = (sql: Sql, ids: ReadonlyArray<string>) => sql`(
  select distinct flow_id from unnest(${texts(ids)}::text[]) as asked (flow_id) order by flow_id offset 0) as each`

/** Until the transaction ends nobody else moves its members, or changes it. */
export const holdFlow = (sql: Sql, id: FlowId) => sql`
  select pg_advisory_xact_lock(${key(sql)}) from ${inOrder(sql, [id])}`

/** Until the transaction ends nobody pauses, edits or deletes them. */
export const shareFlows = (sql: Sql, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.void
    : Effect.asVoid(sql`select pg_advisory_xact_lock_shared(${key(sql)}) from ${inOrder(sql, ids)}`)

/** Answers those of them that nobody holds alone, or waits to. */
export const tryToShareFlows = (sql: Sql, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql<{ readonly flow_id: string }>`
          select each.flow_id from ${inOrder(sql, ids)} where pg_try_advisory_xact_lock_shared(${key(sql)})`,
        (rows) => rows.map(({ flow_id }) => flow_id),
      )
