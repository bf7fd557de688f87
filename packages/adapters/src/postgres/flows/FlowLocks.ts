// Advisory locks on flows: shared while memberships move, exclusive to pause, edit or delete the flow. Advisory locks queue
// fairly. Memberships move constantly, and with row locks an exclusive request would never succeed.
import type { PgClient } from "@effect/sql-pg"
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { advisoryLock } from "../kernel/AdvisoryLocks.ts"
import { texts } from "../kernel/Arrays.ts"

type Sql = PgClient.PgClient

const lockEach = (sql: Sql, mode?: "shared" | "trying") => advisoryLock(sql, "flow", sql.literal("each.flow_id"), mode)

/** In the order of their ids. `offset 0` keeps the planner from changing it. */
const inIdOrder = (sql: Sql, ids: ReadonlyArray<string>) => sql`(
  select distinct flow_id from unnest(${texts(ids)}::text[]) as wanted (flow_id) order by flow_id offset 0) as each`

/** Locks a flow exclusively until the transaction ends: its memberships do not move and it does not change. */
export const lockFlow = (sql: Sql, id: FlowId) => sql`
  select ${lockEach(sql)} from ${inIdOrder(sql, [id])}`

/** Locks flows in shared mode until the transaction ends: they cannot be paused, edited or deleted. */
export const shareFlowLocks = (sql: Sql, ids: ReadonlyArray<string>) =>
  ids.length === 0 ? Effect.void : Effect.asVoid(sql`select ${lockEach(sql, "shared")} from ${inIdOrder(sql, ids)}`)

/** Returns the flows that no transaction has locked exclusively or waits to. */
export const tryShareFlowLocks = (sql: Sql, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql<{ readonly flow_id: string }>`
          select each.flow_id from ${inIdOrder(sql, ids)} where ${lockEach(sql, "trying")}`,
        (rows) => rows.map(({ flow_id }) => flow_id),
      )
