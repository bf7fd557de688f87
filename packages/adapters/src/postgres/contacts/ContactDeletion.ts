// Contacts deleted, with what goes with them. Deliveries, contacts and lists are locked in this order, and each in the order
// of their ids: so does everybody who holds more than one of them, and nobody waits in a circle.
import type { PgClient } from "@effect/sql-pg"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"

/**
 * Locks contacts for their deletion. Their deliveries come first, since a sender holds its delivery when it writes to the
 * contact: whoever settles one after this deletion finds it marked, and whatever was settled before goes with the timeline.
 */
export const lockForDeletion = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<ContactId>,
) {
  const asked = texts(ids)
  yield* sql`
    select count(*) from (
      select 1 from delivery d where d.workspace_id = ${workspace} and d.contact_id = any(${asked}::uuid[])
      order by d.delivery_id for no key update
    ) as held`
  // The strongest lock: a member that is being added holds its contact by a weaker one, which does not stop a mere writer.
  yield* sql`
    select 1 from contact c where c.workspace_id = ${workspace} and c.contact_id = any(${asked}::uuid[])
    order by c.contact_id for update`
})

/**
 * Within the caller's fence and transaction. By arrays, not by joins: each table has an index that begins with the contact,
 * and as long as a table is without statistics a join walks through all of the workspace.
 */
export const deleteContacts = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<Contact>,
) {
  if (contacts.length === 0) return
  const gone = texts(contacts.map(({ id }) => id))
  yield* sql`
    with left_lists as materialized (
      select distinct m.list_id from list_member m
      where m.workspace_id = ${workspace} and m.contact_id = any(${gone}::uuid[])
    )
    select 1 from list l
    where l.workspace_id = ${workspace} and l.list_id in (select list_id from left_lists)
    order by l.list_id for no key update`
  // Not contact by contact, as the cascade would: the counts of the lists are written once.
  yield* sql`
    delete from list_member where workspace_id = ${workspace} and contact_id = any(${gone}::uuid[])`
  yield* sql`
    update delivery set contact_deleted = true
    where workspace_id = ${workspace} and contact_id = any(${gone}::uuid[])`
  // Those on the way are looked at, and dropped.
  yield* sql`
    with left_flows as materialized (
      select m.membership_id from flow_membership m
      where m.workspace_id = ${workspace} and m.contact_id = any(${gone}::uuid[]) and m.status in ('active', 'waiting')
      order by m.membership_id for no key update
    )
    update flow_membership m set due_at = clock_timestamp()
    where m.workspace_id = ${workspace} and m.membership_id = any(array(select membership_id from left_flows))`
  yield* sql`select hint_due('flows', ${workspace})`
  yield* sql`
    delete from activity where workspace_id = ${workspace} and contact_id = any(${gone}::uuid[])`
  const rows = yield* sql`
    delete from contact where workspace_id = ${workspace} and contact_id = any(${gone}::uuid[])
    returning 1`
  if (rows.length !== contacts.length) {
    return yield* Effect.die(`${contacts.length - rows.length} contacts of a change are gone: they were not locked`)
  }
})
