// Deletion of memberships and their timelines: of a deleted flow, and of an erased contact.
import type { PgClient } from "@effect/sql-pg"
import type { ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { moveTallies } from "./FlowTallies.ts"
import { type CountedRow, toCounted } from "./MembershipRows.ts"

type Sql = PgClient.PgClient

/** `removed`: the deleted memberships. Earlier partitions have none of their entries; the clocks of two processes may differ. */
const deletion = (sql: Sql, workspace: WorkspaceId, which: Statement.Fragment) => sql`
  with removed as (
    delete from flow_membership m where m.workspace_id = ${workspace} and ${which}
    returning m.membership_id, m.flow_id, m.state, m.entered_at),
  entries as (
    delete from flow_event e using removed r
    where e.workspace_id = ${workspace} and e.membership_id = r.membership_id
      and e.at >= (select min(entered_at) - interval '1 day' from removed))`

/** Of a flow that is deleted too, with its counters. */
export const deleteMembershipsOfFlow = (sql: Sql, workspace: WorkspaceId, flow: FlowId) =>
  sql`${deletion(sql, workspace, sql`m.flow_id = ${flow}`)} select from removed limit 1`

/** Of a contact: the counters of its flows count it no longer. */
export const deleteMembershipsOfContact = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  contact: ContactId,
) {
  const removed = yield* sql<CountedRow>`
    ${deletion(sql, workspace, sql`m.contact_id = ${contact}`)}
    select flow_id as "flowId", state, entered_at as "enteredAt" from removed`
  yield* moveTallies(
    sql,
    workspace,
    removed.map((row) => ({ before: toCounted(row), after: null })),
  )
})
