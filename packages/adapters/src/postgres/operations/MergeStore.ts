// `MergeStore` on PostgreSQL: what a merge of two contacts depends on, and its locks.
import type { PgClient } from "@effect/sql-pg"
import type { MergePair, MergingMembership } from "@tentpole/core/contacts/Merge"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type MergeCounts, MergeStore } from "@tentpole/core/operations/merge/MergeStore"
import type { ImportedFile } from "@tentpole/core/operations/privacy/PrivacyStore"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { Conflicted } from "../kernel/Postgres.ts"
import { isForBoth } from "../contacts/ContactMerge.ts"
import { shareFlowLocks } from "../flows/FlowLocks.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient
type Pair = MergePair<ContactId>

const live = `m.status in ('active', 'waiting')`

/** Messages of the source that have not ended: `d`, with its row `q` of the queue. */
const openMessages = (sql: Sql, workspace: WorkspaceId, { source }: Pair) => sql`
  delivery d join delivery_queue q on q.workspace_id = ${workspace} and q.delivery_id = d.delivery_id
  where d.workspace_id = ${workspace} and d.contact_id = ${source} and d.state = 'queued'`

const facts = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, pair: Pair) {
  const { source, target } = pair
  const [found] = yield* sql<MergeCounts & { readonly isSending: boolean }>`
    select
      (select count(*)::int from activity a where a.workspace_id = ${workspace} and a.contact_id = ${source}) as activities,
      (select count(*)::int from list_member m
        where m.workspace_id = ${workspace} and m.contact_id = ${source} and not exists (
          select from list_member t
          where t.workspace_id = ${workspace} and t.list_id = m.list_id and t.contact_id = ${target})) as lists,
      (select count(*)::int from delivery d
        where d.workspace_id = ${workspace} and d.contact_id = ${source}
          and not ${isForBoth(sql, workspace, pair)}) as messages,
      (select count(*)::int from form_submission s
        where s.workspace_id = ${workspace} and s.contact_id = ${source}) as submissions,
      (select count(*)::int from consent_record r
        where r.workspace_id = ${workspace} and r.contact_id = ${source}) as "consentRecords",
      exists (select from ${openMessages(sql, workspace, pair)} and q.state <> 'queued') as "isSending"`
  const memberships = yield* sql<MergingMembership>`
    select m.membership_id as "membershipId", m.flow_id as "flowId", m.contact_id as "contactId" from flow_membership m
    where m.workspace_id = ${workspace} and m.contact_id = any(${texts([source, target])}::uuid[]) and ${sql.literal(live)}
    order by m.membership_id`
  if (found === undefined) return yield* Effect.die("a query without table has a row")
  const { isSending, ...counts } = found
  return { counts, isSending, live: memberships }
})

/**
 * In the order in which other transactions lock: flows, blasts in their audience pass, rows of the queue, deliveries, contacts,
 * memberships. No audience pass then writes a message for the source or a second one for the target.
 */
const lock = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, pair: Pair) {
  const both = texts([pair.source, pair.target])
  const messages = sql`d.workspace_id = ${workspace} and d.contact_id = ${pair.source}`
  const flows = yield* sql<{ readonly flow_id: string }>`
    select distinct m.flow_id from flow_membership m
    where m.workspace_id = ${workspace} and m.contact_id = ${pair.source} and ${sql.literal(live)}`
  yield* shareFlowLocks(
    sql,
    flows.map(({ flow_id }) => flow_id),
  )
  yield* sql`
    select 1 from blast b where b.workspace_id = ${workspace} and b.status = 'sending' and b.audience_fixed_at is null
      and b.purpose = 'blast'
    order by b.blast_id for share`
  yield* sql`
    select count(*) from (
      select 1 from ${openMessages(sql, workspace, pair)} order by q.delivery_id for update of q
    ) as locked`
  const locked = yield* countOf(
    sql,
    sql`(select 1 from delivery d where ${messages} order by d.delivery_id for no key update) as locked`,
  )
  // FOR UPDATE: adding a list member, and entering a flow, take a weaker lock on the contact.
  yield* sql`
    select 1 from contact c where c.workspace_id = ${workspace} and c.contact_id = any(${both}::uuid[])
    order by c.contact_id for update`
  yield* sql`
    select count(*) from (
      select 1 from flow_membership m
      where m.workspace_id = ${workspace} and m.contact_id = any(${both}::uuid[])
        and (${sql.literal(live)} or m.contact_id = ${pair.source})
      order by m.membership_id for no key update
    ) as locked`
  // While this transaction waited, another merge or a flow has given the source a message. Its lock comes before those of contacts.
  if ((yield* countOf(sql, sql`delivery d where ${messages}`)) !== locked) {
    return yield* Effect.die(new Conflicted("the contact got another message"))
  }
})

const countOf = (sql: Sql, rows: Statement.Fragment) =>
  Effect.map(sql<{ readonly count: number }>`select count(*)::int as count from ${rows}`, ([row]) => row?.count ?? 0)

export const layer = storeLayer(MergeStore, ({ sql, within, write }) => ({
  facts: (workspace, pair) => within(workspace, facts(sql, workspace, pair)),
  lock: (workspace, pair) => write(workspace, lock(sql, workspace, pair)),
  openImports: (workspace) =>
    within(
      workspace,
      sql<ImportedFile>`
        select s.import_session_id as "sessionId", s.source, s.blob_key as "blobKey",
          jsonb_build_object('id', r.import_run_id, 'status', r.status) as run
        from import_run r
        join import_session s on s.workspace_id = ${workspace} and s.import_session_id = r.import_session_id
        where r.workspace_id = ${workspace} and r.status in ('queued', 'running')
        order by r.import_run_id`,
    ),
}))
