// `EmailMessageStore` on PostgreSQL: acceptance, reading, cancellation and retries of single messages.
import type { PgClient } from "@effect/sql-pg"
import { EmailMessageStore, marketing_sender_days, type MessageQuery } from "@tentpole/core/messages/EmailMessageStore"
import type { EmailMessage, MessageStatus } from "@tentpole/core/messages/EmailMessage"
import type { MessageId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced } from "@tentpole/core/kernel/Page"
import type { Suppression } from "@tentpole/core/sending/Suppression"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { isAnyOf, texts } from "../kernel/Arrays.ts"
import { homeOf } from "../citus/Home.ts"
import { fromRow, iso, requireRow } from "../kernel/Instants.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { contactColumns, type ContactRow, toContact } from "../contacts/ContactRows.ts"
import { changeBetween, changeFromQueued, countChange, countedColumns } from "../sending/DeliveryCounters.ts"
import { type Ended, endedColumns, unsent, writeEnded } from "../sending/UnsentEvents.ts"
import { storeLayer } from "../StoreLayer.ts"
import { accept } from "./MessageAcceptance.ts"
import { hintMessages } from "./MessageArrivals.ts"
import { findKeys } from "./MessageKeys.ts"
import { messageColumns, type MessageRow, messageTables, toMessage } from "./MessageRows.ts"

type Sql = PgClient.PgClient

/** Blasts that were launched longer ago say nothing of the senders of today. */
const senders_max = 100

/** Emails of a day that are counted: plans with limits allow fewer. */
const counted_max = 100_000

/** A contact, the suppression of an address, or both. */
type FactsRow = (ContactRow | { readonly [Key in keyof ContactRow]: null }) & Suppressed

type Suppressed =
  | { readonly suppressed: string; readonly reason: Suppression["reason"]; readonly suppressedAt: Date }
  | { readonly suppressed: null; readonly reason: null; readonly suppressedAt: null }

const facts = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { contactIds, emails }: { readonly emails: ReadonlyArray<string>; readonly contactIds: ReadonlyArray<string> },
) {
  const found = (columns: string, isWanted: Statement.Fragment) =>
    sql`select ${sql.literal(columns)} from contact c where c.workspace_id = ${workspace} and ${isWanted}`
  const hasEmail = (column: string) => isAnyOf(sql, column, "text", emails)
  const hasId = isAnyOf(sql, "c.contact_id", "uuid", contactIds)
  const byEmail = { contacts: found("c.*", hasEmail("c.email_normalized")), suppressed: hasEmail("email_normalized") }
  const { contacts, suppressed } =
    contactIds.length === 0
      ? byEmail
      : {
          contacts: sql`${byEmail.contacts} union all ${found("c.*", hasId)}`,
          suppressed: sql`(${byEmail.suppressed} or email_normalized in (${found("c.email_normalized", hasId)}))`,
        }
  const rows = yield* sql<FactsRow>`
    select ${sql.literal(contactColumns)}, s.email_normalized as suppressed, s.reason, s.created_at as "suppressedAt"
    from (${contacts}) as c full join (
      select email_normalized, reason, created_at from suppression
      where workspace_id = ${workspace} and ${suppressed}) as s on s.email_normalized = c.email_normalized`
  const split = rows.map(({ reason, suppressed, suppressedAt, ...contact }) => ({
    contact: contact.id === null ? null : toContact(contact as ContactRow),
    suppression:
      suppressed === null ? null : fromRow<Suppression>({ email: suppressed, reason, createdAt: suppressedAt }),
  }))
  return {
    contacts: split.flatMap(({ contact }) => contact ?? []),
    suppressions: split.flatMap(({ suppression }) => suppression ?? []),
  }
})

const statusIn = (sql: Sql, status: MessageStatus, now: DateTime.Utc): Statement.Fragment => {
  switch (status) {
    case "scheduled":
      return sql`d.state = 'queued' and m.scheduled_at > ${DateTime.formatIso(now)}::timestamptz`
    case "queued":
      return sql`d.state = 'queued' and m.scheduled_at > ${DateTime.formatIso(now)}::timestamptz is not true`
    case "failed":
      return sql`d.state in ('failed', 'unconfirmed')`
    default:
      return sql`d.state = ${status}`
  }
}

/** The least id of a time, in milliseconds. */
const firstId = ({ epochMilliseconds }: DateTime.Utc): string => {
  const hex = Math.max(0, Math.floor(epochMilliseconds)).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

const list = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, query: MessageQuery) {
  const { after, contactId, emailId, limit, now, since, status, tag, to, until } = query
  const conditions = [
    ...(after === null ? [] : [sql`m.delivery_id < ${after.id}`]),
    ...(since === null ? [] : [sql`m.delivery_id >= ${firstId(since)}`]),
    ...(until === null ? [] : [sql`m.delivery_id < ${firstId(until)}`]),
    ...(status === null ? [] : [statusIn(sql, status, now)]),
    ...(to === null ? [] : [sql`d.message is not null and d.email_normalized = ${to}`]),
    ...(contactId === null ? [] : [sql`d.contact_id = ${contactId}`]),
    ...(emailId === null ? [] : [sql`m.email_id = ${emailId}`]),
    ...(tag === null
      ? []
      : [
          sql`exists (select from email_message_tag t where t.workspace_id = ${workspace}
            and t.tag = ${`${tag.name}:${tag.value}`} and t.delivery_id = m.delivery_id)`,
        ]),
  ]
  const rows = yield* sql<MessageRow>`
    select ${sql.literal(messageColumns)} from ${messageTables(sql, workspace)}
    where ${sql.and([sql`m.workspace_id = ${workspace}`, ...conditions])}
    order by m.delivery_id desc limit ${limit + 1}`
  return sliced(rows.map(toMessage), limit, ({ createdAt, id }: EmailMessage) => ({
    at: createdAt.epochMilliseconds,
    id,
  }))
})

const many = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<MessageId>) =>
  Effect.map(
    sql<MessageRow>`
      select ${sql.literal(messageColumns)} from ${messageTables(sql, workspace)}
      where m.workspace_id = ${workspace} and m.delivery_id = any(${texts(ids)}::uuid[])`,
    (rows) => rows.map(toMessage),
  )

/** The row of the queue first, as every transaction locks. */
const lock = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: MessageId) {
  yield* sql`
    select 1 from delivery_queue where workspace_id = ${workspace} and delivery_id = ${id} for update`
  yield* sql`
    select 1 from delivery where workspace_id = ${workspace} and delivery_id = ${id} and message is not null
    for no key update`
  return yield* Effect.flatMap(many(sql, workspace, [id]), requireRow("message"))
})

const cancel = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: MessageId, at: DateTime.Utc) {
  const written = yield* sql<Ended>`
    with ended as (
      delete from delivery_queue
      where workspace_id = ${workspace} and delivery_id = ${id} and state in ('queued', 'claimed')
      returning delivery_id
    ),
    blocked as (
      update delivery d set state = 'blocked', reason = 'cancelled', blocked_at = ${DateTime.formatIso(at)}
      from ended where d.workspace_id = ${workspace} and d.delivery_id = ended.delivery_id
      returning ${sql.literal(endedColumns)}, ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("blocked"))}
    select ${unsent(sql, workspace, sql`blocked`, yield* transactionTime(sql))}`
  yield* writeEnded(sql, workspace, written)
})

const retry = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: MessageId,
  { expiresAt }: { readonly expiresAt: DateTime.Utc },
) {
  const now = yield* transactionTime(sql)
  yield* sql`
    with was as materialized (
      select ${sql.literal(countedColumns())} from delivery d
      where d.workspace_id = ${workspace} and d.delivery_id = ${id} and d.state in ('failed', 'unconfirmed')
    ),
    again as (
      update delivery d set state = 'queued', reason = null, token = null, attempts = 0, failed_at = null, handed_over_at = null
      from was where d.workspace_id = ${workspace} and d.delivery_id = was.delivery_id
      returning d.contact_id, d.email_normalized, d.operational, d.topic_id, ${sql.literal(countedColumns())}
    ),
    lasting as (
      update email_message m set expires_at = ${DateTime.formatIso(expiresAt)}, scheduled_at = null
      from was where m.workspace_id = ${workspace} and m.delivery_id = was.delivery_id
    ),
    queued as (
      insert into delivery_queue (workspace_id, delivery_id, blast_id, contact_id, email_normalized, operational, topic_id,
        lane, due_at, expires_at)
      select home.workspace_id, a.delivery_id, a.blast_id, a.contact_id, a.email_normalized, a.operational, a.topic_id,
        case when w.sending_per_domain_per_second is null then '' else split_part(a.email_normalized, '@', -1) end,
        ${now}, ${DateTime.formatIso(expiresAt)}
      from ${homeOf(sql, workspace)} cross join again a join workspace w on w.workspace_id = ${workspace}
      returning 1
    ),
    ${yield* countChange(sql, workspace, changeBetween("was", "again"))}
    select 1`
  yield* hintMessages(sql, workspace)
})

const usedToday = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, now: DateTime.Utc) {
  yield* sql`select 1 from workspace where workspace_id = ${workspace} for no key update`
  const day = DateTime.startOf(now, "day")
  const [row] = yield* sql<{ readonly used: number }>`
    select coalesce((
        select sum(case when audience_fixed_at is null then allotted_count else qualified_count end) from blast
        where workspace_id = ${workspace} and launched_at >= ${iso(day)}), 0)::int
      + ${messagesSince(sql, workspace, day)} as used`
  return row?.used ?? 0
})

/** The messages since a time that were not blocked, as SQL. */
export const messagesSince = (sql: Sql, workspace: WorkspaceId, since: DateTime.Utc) => sql`(
  select count(*)::int from (
    select from email_message m
    join delivery d on d.workspace_id = ${workspace} and d.delivery_id = m.delivery_id and d.state <> 'blocked'
    where m.workspace_id = ${workspace} and m.delivery_id >= ${firstId(since)} limit ${counted_max}) as counted)`

export const layer = storeLayer(EmailMessageStore, ({ quick, sql, within, write }) => ({
  facts: (workspace, of) => within(workspace, facts(sql, workspace, of)),
  marketingSenders: (workspace) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly address: string }>`
          select distinct lower(a.from_address) as address from blast b
          join email_approval a on a.workspace_id = ${workspace} and a.approval_id = b.approval_id
          where b.workspace_id = ${workspace} and b.launched_at > clock_timestamp() - make_interval(days => ${marketing_sender_days})
            and not b.operational
          limit ${senders_max}`,
        (rows) => new Set(rows.map(({ address }) => address)),
      ),
    ),
  usedToday: (workspace, now) => write(workspace, usedToday(sql, workspace, now)),
  findKeys: (workspace, keyHashes) => within(workspace, findKeys(sql, workspace, keyHashes)),
  accept: (workspace, requests) => write(workspace, accept(sql, workspace, requests)),
  get: (workspace, id) =>
    quick.read(workspace, (client) => Effect.flatMap(many(client, workspace, [id]), requireRow("message"))),
  many: (workspace, ids) => within(workspace, many(sql, workspace, ids)),
  list: (workspace, query) => within(workspace, list(sql, workspace, query)),
  lock: (workspace, id) => write(workspace, lock(sql, workspace, id)),
  cancel: (workspace, id, at) => write(workspace, cancel(sql, workspace, id, at)),
  retry: (workspace, id, again) => write(workspace, retry(sql, workspace, id, again)),
}))
