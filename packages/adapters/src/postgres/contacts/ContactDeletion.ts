// Deletion of contacts and of the rows that depend on them. Every transaction locks deliveries, then contacts, then their count,
// then lists, each in the order of their ids, so that no deadlock occurs.
import type { PgClient } from "@effect/sql-pg"
import type { ContactDeletion } from "@tentpole/core/contacts/ContactsChange"
import { countsOfContacts } from "@tentpole/core/figures/DayFigures"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { addDayCounts } from "../figures/DayFigures.ts"
import { texts } from "../kernel/Arrays.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { takeOver } from "./ContactMerge.ts"
import { moveContactCount, moveMemberCounts } from "../lists/StoredCounts.ts"
import { moveTopicCounts } from "../topics/TopicCounts.ts"

/**
 * Locks contacts for their deletion. Deliveries come first, because a sender locks its delivery before it writes to the
 * contact. A settlement after the deletion finds its delivery marked; the activities of earlier ones are deleted with the timeline.
 */
export const lockForDeletion = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<ContactId>,
) {
  const contactIds = texts(ids)
  yield* sql`
    select count(*) from (
      select 1 from delivery d where d.workspace_id = ${workspace} and d.contact_id = any(${contactIds}::uuid[])
      order by d.delivery_id for no key update
    ) as locked`
  // FOR UPDATE: adding a list member takes a weaker lock on the contact, which weaker locks would not block.
  yield* sql`
    select 1 from contact c where c.workspace_id = ${workspace} and c.contact_id = any(${contactIds}::uuid[])
    order by c.contact_id for update`
})

/**
 * Runs in the caller's fence and transaction. Uses arrays instead of joins: each table has an index that begins with the
 * contact, and without table statistics a join would scan all rows of the workspace.
 */
export const deleteContacts = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  deletes: ReadonlyArray<ContactDeletion>,
) {
  if (deletes.length === 0) return
  const unsubscribed = deletes.filter(({ before }) => before.unsubscribed).length
  const deletedIds = texts(deletes.map(({ before }) => before.id))
  // Before lists, as in a transaction that creates contacts and adds them to lists.
  yield* sql`
    with counted as (${yield* addDayCounts(sql, workspace, countsOfContacts({ deletes }))})
    ${yield* moveContactCount(sql, workspace, { contacts: -deletes.length, unsubscribed: -unsubscribed })}`
  const counted = deletes.filter(({ before, mergedInto }) => !before.unsubscribed && mergedInto === undefined)
  yield* moveTopicCounts(
    sql,
    workspace,
    counted.map(({ before }) => before.id),
    -1,
  )
  for (const { before, mergedInto } of deletes) {
    if (mergedInto !== undefined) yield* takeOver(sql, workspace, { source: before.id, target: mergedInto })
  }
  yield* sql`
    with left_lists as materialized (
      select distinct m.list_id from list_member m
      where m.workspace_id = ${workspace} and m.contact_id = any(${deletedIds}::uuid[])
    )
    select 1 from list l
    where l.workspace_id = ${workspace} and l.list_id in (select list_id from left_lists)
    order by l.list_id for no key update`
  yield* sql`
    with moved as (
      delete from list_member where workspace_id = ${workspace} and contact_id = any(${deletedIds}::uuid[])
      returning list_id)
    ${moveMemberCounts(sql, workspace, -1)}`
  yield* sql`
    with submitted as (
      update form_submission set contact_id = null
      where workspace_id = ${workspace} and contact_id = any(${deletedIds}::uuid[]))
    update delivery set contact_deleted = true
    where workspace_id = ${workspace} and contact_id = any(${deletedIds}::uuid[])`
  // Makes active memberships due: the next round finds the contact deleted and drops them.
  yield* sql`
    with left_flows as materialized (
      select m.membership_id from flow_membership m
      where m.workspace_id = ${workspace} and m.contact_id = any(${deletedIds}::uuid[]) and m.status in ('active', 'waiting')
      order by m.membership_id for no key update
    )
    update flow_membership m set due_at = ${yield* transactionTime(sql)}
    where m.workspace_id = ${workspace} and m.membership_id = any(array(select membership_id from left_flows))`
  yield* sql`select hint_due('flows', ${workspace}, clock_timestamp())`
  // The timeline of a merged contact is its target's by now. Its index still has the old entries, which a search would read.
  const ended = deletes.flatMap(({ before, mergedInto }) => (mergedInto === undefined ? [before.id] : []))
  if (ended.length > 0) {
    yield* sql`
      delete from activity where workspace_id = ${workspace} and contact_id = any(${texts(ended)}::uuid[])`
  }
  const rows = yield* sql`
    delete from contact where workspace_id = ${workspace} and contact_id = any(${deletedIds}::uuid[])
    returning 1`
  if (rows.length !== deletes.length) {
    return yield* Effect.die(`${deletes.length - rows.length} contacts of a change are deleted: lock them first`)
  }
})
