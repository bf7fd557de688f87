// Messages of flows: what a change of a flow does to those that are not sent, and what the end of a message does to its
// membership.
import type { PgClient } from "@effect/sql-pg"
import type { FlowChange } from "@tentpole/core/flows/definition/machine"
import type { FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DeliveryState, finalStates } from "@tentpole/core/sending/Delivery"
import { Effect } from "effect"
import { advisoryLock } from "../kernel/AdvisoryLocks.ts"
import { ints, texts } from "../kernel/Arrays.ts"
import { transactionTime } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

/**
 * Pauses, resumes or cancels the blasts that represent the steps of a flow. Their locks, in the order of their ids, stop
 * intents, as when a blast is paused. The caller has locked the flow, so that no step gets its first message meanwhile.
 */
export const controlMessages = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: FlowId,
  control: NonNullable<FlowChange["messages"]>,
) {
  const now = yield* transactionTime(sql)
  const steps = sql`workspace_id = ${workspace} and purpose = 'flow_step' and flow_id = ${id}`
  // Read before, and not in the statement that locks: a distributed database would run it on another server, where no intent looks.
  const ids = yield* sql<{ readonly blast_id: string }>`select blast_id from blast where ${steps} order by blast_id`
  yield* sql`
    select ${advisoryLock(sql, "blast", sql.literal("step.blast_id"))}
    from unnest(${texts(ids.map((row) => row.blast_id))}::text[]) as step (blast_id)`
  yield* control === "cancel"
    ? sql`
        update blast set status = 'cancelled', paused = false, cancelled_at = ${now}, updated_at = ${now}
        where ${steps} and status = 'sending'`
    : sql`update blast set paused = ${control === "pause"}, updated_at = ${now} where ${steps} and status = 'sending'`
})

/** A delivery after a write. */
export interface WrittenDelivery {
  readonly state: DeliveryState
  readonly membership_id: string | null
  readonly visit: number | null
}

/**
 * Makes the memberships due whose messages have ended. Every write that may end a message calls it with the rows that it wrote,
 * in the same transaction. Without messages of flows it costs nothing.
 */
export const makeMembersDue = (sql: Sql, workspace: WorkspaceId, written: ReadonlyArray<WrittenDelivery>) => {
  const ended = written.filter(({ membership_id, state }) => membership_id !== null && finalStates.has(state))
  return ended.length === 0
    ? Effect.void
    : Effect.asVoid(sql`
        select make_members_due(${workspace}, ${texts(ended.map((each) => each.membership_id))}::uuid[],
          ${ints(ended.map((each) => each.visit))}::int[])`)
}
