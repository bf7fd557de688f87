// The line of single messages on PostgreSQL: what a claim reads of them, the turns of their workspaces, and their end by time.
import type { PgClient } from "@effect/sql-pg"
import type { ClaimedMessage } from "@tentpole/core/sending/messages/MessageContent"
import type { MessageTurn } from "@tentpole/core/sending/DeliveryStore"
import * as RateLimit from "@tentpole/core/sending/SendRateLimit"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DateTime, Effect } from "effect"
import { isAnyOf } from "../kernel/Arrays.ts"
import { endTurn, takeTurns } from "../kernel/DueWork.ts"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { changeFromQueued, countChange, countedColumns } from "../sending/DeliveryCounters.ts"
import { type Ended, endedColumns, unsent, writeEnded } from "../sending/UnsentEvents.ts"

type Sql = PgClient.PgClient

/** A message with its content, and when it was accepted. */
export type LoadedMessage = ClaimedMessage & { readonly id: DeliveryId; readonly createdAt: DateTime.Utc }

const columns = `m.delivery_id as id, m.created_at as "createdAt", m.expires_at as "expiresAt",
  coalesce(m.scheduled_at, m.created_at) as "waitingSince", m.to_name as "toName",
  jsonb_build_object('subject', m.subject, 'fromName', m.from_name, 'fromAddress', m.from_address, 'replyToEmail', m.reply_to_email)
    as header,
  m.headers, m.attachments, m.track_opens as "trackOpens", m.track_clicks as "trackClicks",
  case when c.delivery_id is not null then jsonb_build_object('data', c.data, 'own', case
    when c.html is not null or c.plain_text is not null then jsonb_build_object('html', c.html, 'text', c.plain_text) end) end as body`

export const loadMessages = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<DeliveryId>) =>
  Effect.map(
    sql<RowOf<LoadedMessage>>`
      select ${sql.literal(columns)} from email_message m
      left join email_message_content c on c.workspace_id = ${workspace} and c.delivery_id = m.delivery_id
      where m.workspace_id = ${workspace} and ${isAnyOf(sql, "m.delivery_id", "uuid", ids)}`,
    (rows) => new Map(rows.map((row) => [row.id, fromRow<LoadedMessage>(row)])),
  )

/** An estimate of the memory that its content takes. */
export const estimateMessageBytes = ({ attachments, body }: ClaimedMessage): number =>
  2 * ((body?.own?.html?.length ?? 0) + (body?.own?.text?.length ?? 0)) +
  attachments.reduce((sum, { size_bytes }) => sum + size_bytes, 0) +
  1_000

export const messageTurns = (sql: Sql, limit: number, turn_ms: number) =>
  Effect.map(takeTurns(sql, ["messages"], { limit, turn_ms }), (turns) =>
    turns.map(({ token, workspace }): MessageTurn => ({ token, workspace })),
  )

/** A line that can't send is checked again after this time. */
const held_s = 10
/** A line with claimed messages is checked again after this time, and swept until then: a worker that died does not return them. */
const claimed_s = 10
/** The delay after a turn that left messages, because a limit or a lock kept them. */
const kept_s = RateLimit.turn_ms / 1_000

export const endMessageTurn = Effect.fnUntraced(function* (sql: Sql, { token, workspace }: MessageTurn, more: boolean) {
  const now = yield* transactionTime(sql)
  const next = sql`(
    select greatest(
      coalesce(least(
        (select q.due_at from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane = '' and q.token is null
        order by q.due_at limit 1),
        (select min(l.ready_at) from delivery_lane l
        where l.workspace_id = ${workspace} and l.lane <> '' and l.ready_at < 'infinity'),
        (select ${now} + make_interval(secs => ${claimed_s}) from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.token > 0 limit 1)), 'infinity'),
      ${now} + make_interval(secs => case when b.restored then ${held_s} else ${kept_s} end))
    from blast b where b.workspace_id = ${workspace} and b.purpose = 'messages')`
  yield* endTurn(sql, { kind: "messages", token, workspace }, more ? now : sql`coalesce(${next}, 'infinity')`)
})

/** Messages that one statement ends. */
const ended_max = 5_000

/** Ends messages that have waited until their end. Returns their number. */
export const expire = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId) {
  const now = yield* transactionTime(sql)
  const [late] = yield* sql`
    select 1 from delivery_queue
    where workspace_id = ${workspace} and expires_at <= ${now} and state = 'queued' limit 1`
  if (late === undefined) return 0
  const written = yield* sql<Ended>`
    with late as materialized (
      select delivery_id from delivery_queue
      where workspace_id = ${workspace} and expires_at <= ${now} and state = 'queued'
      order by expires_at
      limit ${ended_max}
      for update skip locked
    ),
    ended as (
      delete from delivery_queue q
      where q.workspace_id = ${workspace} and q.delivery_id = any(array(select delivery_id from late))
      returning q.delivery_id
    ),
    expired as (
      update delivery d set state = 'failed', reason = 'expired', failed_at = ${now}
      from ended where d.workspace_id = ${workspace} and d.delivery_id = ended.delivery_id
      returning ${sql.literal(endedColumns)}, ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("expired"))}
    select ${unsent(sql, workspace, sql`expired`, now)}`
  const rows = yield* writeEnded(sql, workspace, written)
  return rows.length
})
