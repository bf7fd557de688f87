// Merged contacts: the rows that the target takes over from the source, and the contacts of former ids. The number of statements does not
// depend on the number of rows, and no row is read.
import type { PgClient } from "@effect/sql-pg"
import type { MergePair } from "@tentpole/core/contacts/Merge"
import type { BlastId, ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { makeDue } from "../kernel/DueWork.ts"
import { homeOf } from "../citus/Home.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { moveMemberCounts } from "../lists/StoredCounts.ts"
import { moveConsent } from "../topics/TopicMerge.ts"
import { changeFromQueued, countChange, countedColumns } from "../sending/DeliveryCounters.ts"

type Sql = PgClient.PgClient
type Pair = MergePair<ContactId>

/** Of these former ids: the contacts that have taken them over. */
export const mergedContacts = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) =>
  Effect.map(
    sql<{ readonly former: ContactId; readonly id: ContactId }>`
      select f.former_id as former, f.contact_id as id from contact_former_id f
      where f.workspace_id = ${workspace} and f.former_id = any(${texts(ids)}::uuid[])`,
    (rows): ReadonlyMap<ContactId, ContactId> => new Map(rows.map(({ former, id }) => [former, id])),
  )

/** The rows, those of merged contacts as rows of the contacts that have taken them over. `known` has the contacts that exist. */
export const followMerges = Effect.fnUntraced(function* <Row extends { readonly contactId: ContactId | null }>(
  sql: Sql,
  workspace: WorkspaceId,
  rows: ReadonlyArray<Row>,
  known: { readonly has: (id: ContactId) => boolean },
) {
  const missing = rows.flatMap(({ contactId }) => (contactId === null || known.has(contactId) ? [] : [contactId]))
  if (missing.length === 0) return rows
  const merged = yield* mergedContacts(sql, workspace, missing)
  return rows.map((row) => ({
    ...row,
    contactId: (row.contactId === null ? undefined : merged.get(row.contactId)) ?? row.contactId,
  }))
})

/** Contacts that have a message of the blast since a merge: the audience pass, which has not reached them, writes no second one. */
export const mergedRecipients = (sql: Sql, workspace: WorkspaceId, blast: BlastId, launched_at: string) =>
  Effect.map(
    sql<{ readonly id: ContactId }>`
      select distinct f.contact_id as id from contact_former_id f
      join delivery d on d.workspace_id = ${workspace} and d.blast_id = ${blast} and d.contact_id = f.contact_id
      -- The clocks of two processes may differ.
      where f.workspace_id = ${workspace} and f.merged_at >= ${launched_at}::timestamptz - interval '1 day'`,
    (rows) => rows.map(({ id }) => id),
  )

/** A condition on the delivery `d` of the source: a message of a blast that was for both contacts. Only the target's is kept as its own. */
export const isForBoth = (sql: Sql, workspace: WorkspaceId, { target }: Pair): Statement.Fragment => sql`(
  d.membership_id is null and d.message is null and exists (
    select from delivery t
    where t.workspace_id = ${workspace} and t.blast_id = d.blast_id and t.contact_id = ${target}))`

/**
 * Moves everything that the source has to the target, in the caller's fence and transaction. `MergeStore.lock` has locked what needs a
 * lock, apart from lists. Messages of blasts that were for both contacts stay with the source: its deletion marks them.
 */
export const takeOver = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, pair: Pair) {
  const { source, target } = pair
  const now = yield* transactionTime(sql)
  yield* moveLists(sql, workspace, pair)
  yield* moveMessages(sql, workspace, pair)
  yield* moveMemberships(sql, workspace, pair)
  yield* moveConsent(sql, workspace, pair)
  yield* sql`
    update activity set contact_id = ${target} where workspace_id = ${workspace} and contact_id = ${source}`
  yield* sql`
    update form_submission set contact_id = ${target} where workspace_id = ${workspace} and contact_id = ${source}`
  yield* sql`
    update subscription_request set contact_id = ${target}, made_contact = false
    where workspace_id = ${workspace} and contact_id = ${source}`
  yield* sql`
    with moved as (
      delete from import_confirmation where workspace_id = ${workspace} and contact_id = ${source}
      returning import_run_id, topic_ids, due_at),
    written as (
      insert into import_confirmation as w (workspace_id, import_run_id, contact_id, topic_ids, due_at)
      select home.workspace_id, import_run_id, ${target}::uuid, topic_ids, due_at from ${homeOf(sql, workspace)} cross join moved
      on conflict (workspace_id, import_run_id, contact_id) do update set topic_ids = w.topic_ids || excluded.topic_ids)
    select 1 from moved limit 1`
  yield* sql`update test_mail set contact_id = ${target} where workspace_id = ${workspace} and contact_id = ${source}`
  yield* sql`
    update contact c set last_activity_at = greatest(c.last_activity_at, s.last_activity_at) from contact s
    where c.workspace_id = ${workspace} and c.contact_id = ${target}
      and s.workspace_id = ${workspace} and s.contact_id = ${source}`
  yield* sql`
    update contact_former_id set contact_id = ${target} where workspace_id = ${workspace} and contact_id = ${source}`
  yield* sql`
    insert into contact_former_id (workspace_id, former_id, contact_id, merged_at)
    values (${workspace}, ${source}, ${target}, ${now})`
})

/** Locks the lists of the source in the order of their ids, as a deletion does. */
const moveLists = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { source, target }: Pair) {
  yield* sql`
    select 1 from list l
    where l.workspace_id = ${workspace} and l.list_id = any(array(
      select m.list_id from list_member m where m.workspace_id = ${workspace} and m.contact_id = ${source}))
    order by l.list_id for no key update`
  yield* sql`
    with moved as (
      delete from list_member m
      where m.workspace_id = ${workspace} and m.contact_id = ${source} and exists (
        select from list_member t
        where t.workspace_id = ${workspace} and t.list_id = m.list_id and t.contact_id = ${target})
      returning m.list_id)
    ${moveMemberCounts(sql, workspace, -1)}`
  yield* sql`
    update list_member set contact_id = ${target} where workspace_id = ${workspace} and contact_id = ${source}`
})

/** Clicks and rows of the queue follow their messages. Queued messages of blasts that were for both are blocked. */
const moveMessages = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, pair: Pair) {
  const { source, target } = pair
  const mine = sql`d.workspace_id = ${workspace} and d.contact_id = ${source}`
  const blocked = yield* sql`
    with doubled as materialized (
      select d.delivery_id from delivery d
      where ${mine} and d.state = 'queued' and ${isForBoth(sql, workspace, pair)}
    ),
    ended as (
      delete from delivery_queue
      where workspace_id = ${workspace} and delivery_id = any(array(select delivery_id from doubled))
    ),
    blocked as (
      update delivery d set state = 'blocked', reason = 'duplicate_address'
      where d.workspace_id = ${workspace} and d.delivery_id = any(array(select delivery_id from doubled))
      returning ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("blocked"))}
    select 1 from blocked`
  // A blast whose last message this was has ended.
  if (blocked.length > 0) yield* makeDue(sql, "deliveries", workspace)
  yield* sql`
    update delivery_queue q set contact_id = ${target}
    where q.workspace_id = ${workspace} and q.delivery_id = any(array(
      select d.delivery_id from delivery d where ${mine} and d.state = 'queued'))`
  for (const table of ["email_message", "email_message_content", "email_message_file"]) {
    yield* sql`
      update ${sql(table)} t set contact_id = ${target}
      where t.workspace_id = ${workspace} and t.delivery_id = any(array(
        select d.delivery_id from delivery d where ${mine} and d.message is not null))`
  }
  yield* sql`
    with moved as (
      update delivery d set contact_id = ${target} where ${mine} and not ${isForBoth(sql, workspace, pair)}
      returning d.delivery_id)
    update delivery_click set contact_id = ${target}
    where workspace_id = ${workspace} and contact_id = ${source}
      and delivery_id = any(array(select delivery_id from moved))`
})

/**
 * The target's live memberships are due, so that their conditions see what the target has now. Of two memberships that admit no other
 * one of the contact, one is marked so.
 */
const moveMemberships = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { source, target }: Pair) {
  const now = yield* transactionTime(sql)
  yield* sql`
    update flow_membership m set contact_id = ${target}, sole = m.sole and not exists (
      select from flow_membership t
      where t.workspace_id = ${workspace} and t.flow_id = m.flow_id and t.contact_id = ${target} and t.sole)
    where m.workspace_id = ${workspace} and m.contact_id = ${source}`
  yield* sql`
    update flow_membership m set due_at = ${now}
    where m.workspace_id = ${workspace} and m.contact_id = ${target} and m.status in ('active', 'waiting')`
  yield* sql`select hint_due('flows', ${workspace}, clock_timestamp())`
  yield* sql`
    with moved as (
      delete from flow_date_fired f
      where f.workspace_id = ${workspace} and f.contact_id = ${source} and f.flow_id = any(array(
        select flow_id from flow where workspace_id = ${workspace}))
      returning f.flow_id, f.day),
    written as (
      insert into flow_date_fired (workspace_id, flow_id, contact_id, day)
      select home.workspace_id, flow_id, ${target}::uuid, day from ${homeOf(sql, workspace)} cross join moved
      on conflict do nothing)
    select 1 from moved limit 1`
})
