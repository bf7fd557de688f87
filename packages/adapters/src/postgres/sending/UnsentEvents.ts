// The events of messages that have ended without being sent.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { deliveryMetadata } from "../contacts/Timeline.ts"
import { makeMembersDue, type WrittenDelivery } from "../flows/FlowMessages.ts"
import { deletePassingContent } from "../messages/PassingContent.ts"
import { finalStates } from "@tentpole/core/sending/Delivery"
import { appendEventsIfRead, type EventJson, eventsIfRead } from "../kernel/Outbox.ts"

type Sql = PgClient.PgClient

/** What a statement returns that ends messages. */
export interface Ended<Row extends WrittenDelivery = WrittenDelivery> {
  readonly rows: ReadonlyArray<Row & { readonly delivery_id: string; readonly is_message: boolean }>
  readonly events: ReadonlyArray<EventJson> | null
}

/** What `unsent` reads of a delivery `d`, besides its counted columns. */
export const endedColumns =
  "d.membership_id, d.visit, d.flow_id, d.step_id, d.message, d.topic_id, d.contact_id, d.contact_deleted"

/** The columns of `Ended`, from the part `written` of a statement. Messages to deleted contacts have no events. */
export const unsent = (sql: Sql, workspace: WorkspaceId, written: Statement.Fragment, at: Statement.Fragment) => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('delivery_id', d.delivery_id, 'state', d.state,
    'is_message', d.message is not null, 'membership_id', d.membership_id, 'visit', d.visit)), '[]') from ${written} d) as rows,
  ${eventsIfRead(
    sql,
    workspace,
    sql`(
      select coalesce(json_agg(json_build_array(
        case when d.state = 'blocked' then 'email_blocked' else 'email_failed' end, d.contact_id, ${at},
        ${sql.literal(deliveryMetadata)} || jsonb_build_object('reason', d.reason)) order by d.delivery_id), '[]')
      from ${written} d left join contact c on c.workspace_id = ${workspace} and c.contact_id = d.contact_id
      where d.state in ('blocked', 'failed', 'unconfirmed') and not d.contact_deleted
        and (d.contact_id is null or c.contact_id is not null))`,
  )} as events`

/** Writes the events, makes the memberships due, and deletes passing content. Returns the rows. */
export const writeEnded = Effect.fnUntraced(function* <Row extends WrittenDelivery>(
  sql: Sql,
  workspace: WorkspaceId,
  [statement]: ReadonlyArray<Ended<Row>>,
) {
  const { events, rows } = statement ?? { events: [], rows: [] }
  yield* makeMembersDue(sql, workspace, rows)
  const messages = rows.filter(({ is_message, state }) => is_message && finalStates.has(state))
  yield* deletePassingContent(
    sql,
    workspace,
    messages.map((row) => row.delivery_id),
  )
  if (rows.length > 0) yield* appendEventsIfRead(workspace, events)
  return rows
})
