// `RestoreStore` on PostgreSQL: the epoch, and the blasts and flows that a restore has brought back.
import { PgClient } from "@effect/sql-pg"
import type { BlastId, DeliveryId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Restore, RestoredBlast, RestoredFlow } from "@tentpole/core/operations/restore/Release"
import { type RestoredDelivery, RestoreStore, type SentToken } from "@tentpole/core/operations/restore/RestoreStore"
import { DateTime, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { makeMembersDue, type WrittenDelivery } from "../flows/FlowMessages.ts"
import { texts } from "../kernel/Arrays.ts"
import { hintMessages } from "../messages/MessageArrivals.ts"
import { deletePassingContent } from "../messages/PassingContent.ts"
import { makeDue } from "../kernel/DueWork.ts"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { fencedWrites, orDefect, Reads, transactionTime } from "../kernel/Postgres.ts"
import { changeFromQueued, countChange, countedColumns } from "../sending/DeliveryCounters.ts"
import { deliveryTables } from "../sending/DeliveryRows.ts"

type Sql = PgClient.PgClient

/** The time without an increment after which no worker counts as running. */
const beat_s_max = 120

const increment = (sql: Sql, journaled: boolean) =>
  Effect.map(
    sql<{ readonly counter: string }>`
      with clock as materialized (select clock_timestamp() as now)
      update service_epoch e set counter = e.counter + 1, written_at = clock.now,
        unjournaled_at = case when ${journaled} then e.unjournaled_at else clock.now end,
        flows_repeat_until = e.flows_repeat_until
          + greatest(interval '0', clock.now - e.written_at - make_interval(secs => ${beat_s_max}))
      from clock returning e.counter`,
    ([row]) => Number(row?.counter),
  )

const restore = (sql: Sql) =>
  Effect.map(
    sql<RowOf<Restore>>`
      select restored_at as at, backup_at as "backupAt", flows_repeat_until as "flowsRepeatUntil",
        backup_counter::float8 as "backupCounter", lost_counter::float8 as "lostCounter", backup_journaled as "backupJournaled"
      from service_epoch where restored_at is not null`,
    ([row]) => (row === undefined ? null : fromRow<Restore>(row)),
  )

const blasts = (sql: Sql, workspace: WorkspaceId) =>
  sql<RowOf<RestoredBlast>>`
    select b.blast_id as id, b.name, b.scheduled_at as "scheduledAt", b.launched_at as "launchedAt",
      b.status = 'sending' and b.purpose = 'blast' and (b.audience_fixed_at is null or b.retrying_since is not null) as growing,
      coalesce((select sum(t.queued)::int from delivery_tally t
        where t.workspace_id = ${workspace} and t.blast_id = b.blast_id), 0) as open_count
    from blast b
    where b.workspace_id = ${workspace} and b.restored and b.purpose <> 'flow_step' and b.status in ('scheduled', 'sending')
    order by b.blast_id`

const flows = (sql: Sql, workspace: WorkspaceId) =>
  sql<RestoredFlow>`
    select f.flow_id as id, f.name,
      coalesce((select sum(t.queued)::int from blast b
        join delivery_tally t on t.workspace_id = ${workspace} and t.blast_id = b.blast_id
        where b.workspace_id = ${workspace} and b.flow_id = f.flow_id), 0) as open_count
    from flow f
    where f.workspace_id = ${workspace} and f.restored
    order by f.flow_id`

/**
 * `open` is a SELECT of ids from the queue: one for those that wait and one for leased ones, since each has its own index. Where
 * `tokens` has one for a delivery, the delivery gets it.
 */
const unconfirm = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  limit: number,
  open: (state: Statement.Fragment) => Statement.Fragment,
  tokens: ReadonlyArray<SentToken> = [],
) {
  const now = yield* transactionTime(sql)
  const rows = yield* sql<WrittenDelivery & { readonly delivery_id: string }>`
    with queued as materialized (${open(sql`q.token is null`)}),
    leased as materialized (${open(sql`q.token > 0`)}),
    chosen as materialized (select delivery_id from queued union all select delivery_id from leased limit ${limit}),
    ended as (
      delete from delivery_queue q
      where q.workspace_id = ${workspace} and q.delivery_id = any(array(select delivery_id from chosen))
      returning q.delivery_id, q.token, q.handed_over_at
    ),
    unconfirmed as (
      update delivery d set state = 'unconfirmed', reason = 'unconfirmed', failed_at = ${now},
        token = coalesce((select g.token from ${tokenRows(sql, tokens)} where g.id = ended.delivery_id), ended.token),
        handed_over_at = coalesce(ended.handed_over_at, d.handed_over_at, ${now})
      from ended
      where d.workspace_id = ${workspace} and d.delivery_id = ended.delivery_id
      returning d.membership_id, d.visit, ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("unconfirmed"))}
    select delivery_id, state, membership_id, visit from unconfirmed`
  yield* makeMembersDue(sql, workspace, rows)
  yield* deletePassingContent(
    sql,
    workspace,
    rows.map((row) => row.delivery_id),
  )
  if (rows.length > 0) yield* makeDue(sql, "deliveries", workspace)
  return rows.length
})

const tokenRows = (sql: Sql, tokens: ReadonlyArray<SentToken>) => sql`
  unnest(${texts(tokens.map(({ id }) => id))}::uuid[], ${texts(tokens.map(({ token }) => String(token)))}::bigint[]) as g (id, token)`

/**
 * Open deliveries of a restored blast, as far as `condition` on the queue `q` holds. Single messages are accepted after the restore
 * too: those were never sent.
 */
const openOf =
  (sql: Sql, workspace: WorkspaceId, blast: BlastId, limit: number, condition: Statement.Fragment = sql`true`) =>
  (state: Statement.Fragment) =>
    sql`
  select q.delivery_id from delivery_queue q
  where q.workspace_id = ${workspace} and q.blast_id = ${blast} and ${state} and ${condition}
    and exists (select from blast b where b.workspace_id = ${workspace} and b.blast_id = ${blast} and b.restored
      and (b.purpose <> 'messages' or exists (select from delivery d
        where d.workspace_id = ${workspace} and d.delivery_id = q.delivery_id
          and d.created_at < (select restored_at from service_epoch))))
  limit ${limit} for update of q`

const unconfirmSent = (sql: Sql, workspace: WorkspaceId, blast: BlastId, sent: ReadonlyArray<SentToken>) =>
  unconfirm(
    sql,
    workspace,
    sent.length,
    openOf(sql, workspace, blast, sent.length, sql`q.delivery_id = any(${texts(sent.map(({ id }) => id))}::uuid[])`),
    sent,
  )

const deliveries = (sql: Sql, workspace: WorkspaceId, blast: BlastId, ids: ReadonlyArray<DeliveryId>) =>
  sql<RestoredDelivery>`
    select d.delivery_id as id, coalesce(q.state, d.state) as state, d.email as address
    from ${deliveryTables(sql, workspace)}
    where d.workspace_id = ${workspace} and d.delivery_id = any(${texts(ids)}::uuid[]) and d.blast_id = ${blast}`

const unconfirmFlows = (sql: Sql, workspace: WorkspaceId, before: DateTime.Utc, limit: number) =>
  unconfirm(
    sql,
    workspace,
    limit,
    (state) => sql`
      select q.delivery_id from blast b
      join delivery_queue q on q.workspace_id = ${workspace} and q.blast_id = b.blast_id and ${state}
      join delivery d on d.workspace_id = ${workspace} and d.delivery_id = q.delivery_id
        and d.created_at < ${DateTime.formatIso(before)}::timestamptz
      where b.workspace_id = ${workspace} and b.purpose = 'flow_step' and b.restored
      limit ${limit} for update of q`,
  )

const releaseBlast = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, blast: BlastId) {
  const rows = yield* sql`
    update blast set restored = false
    where workspace_id = ${workspace} and blast_id = ${blast} and purpose <> 'flow_step' and restored returning 1`
  yield* makeDue(sql, "deliveries", workspace)
  yield* hintMessages(sql, workspace)
  yield* makeDue(sql, "blasts", workspace)
  return rows.length > 0
})

/** The flow first: a step that gets its row in between is released by its second statement. */
const releaseFlow = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, flow: FlowId) {
  const rows = yield* sql`
    update flow set restored = false where workspace_id = ${workspace} and flow_id = ${flow} and restored returning 1`
  yield* sql`update blast set restored = false where workspace_id = ${workspace} and flow_id = ${flow} and restored`
  yield* makeDue(sql, "deliveries", workspace)
  return rows.length > 0
})

export const layer = Layer.effect(
  RestoreStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { unfenced, within } = yield* Reads
    const write = fencedWrites(sql)
    return RestoreStore.of({
      counter: orDefect(sql<{ readonly counter: string }>`select counter from service_epoch`).pipe(
        Effect.map(([row]) => Number(row?.counter ?? 0)),
      ),
      increment: (journaled) => orDefect(increment(sql, journaled)),
      adopt: (counter) => Effect.asVoid(orDefect(sql`update service_epoch set counter = ${counter} where counter = 0`)),
      markRestored: (counter) =>
        orDefect(sql<{ readonly marked: boolean }>`select tentpole_restored(${counter}) as marked`).pipe(
          Effect.map(([row]) => row?.marked === true),
        ),
      restore: orDefect(restore(sql)),
      workspaces: (after, limit) =>
        unfenced(
          (reader) => reader<{ readonly workspace_id: WorkspaceId }>`
            select workspace_id from workspace
            where deleted_at is null and (${after}::uuid is null or workspace_id > ${after}::uuid)
            order by workspace_id limit ${limit}`,
        ).pipe(Effect.map((rows) => rows.map(({ workspace_id }) => workspace_id))),
      restored: (workspace) =>
        within(
          workspace,
          Effect.gen(function* () {
            return {
              blasts: (yield* blasts(sql, workspace)).map(fromRow<RestoredBlast>),
              flows: yield* flows(sql, workspace),
            }
          }),
        ),
      unconfirm: (workspace, blast, limit) =>
        write(workspace, unconfirm(sql, workspace, limit, openOf(sql, workspace, blast, limit))),
      unconfirmHandedOver: (workspace, blast, limit) =>
        write(
          workspace,
          unconfirm(sql, workspace, limit, openOf(sql, workspace, blast, limit, sql`q.state = 'handed_over'`)),
        ),
      unconfirmSent: (workspace, blast, sent) => write(workspace, unconfirmSent(sql, workspace, blast, sent)),
      deliveries: (workspace, blast, ids) => write(workspace, deliveries(sql, workspace, blast, ids)),
      unconfirmFlows: (workspace, before, limit) => write(workspace, unconfirmFlows(sql, workspace, before, limit)),
      releaseBlast: (workspace, blast) => write(workspace, releaseBlast(sql, workspace, blast)),
      releaseFlow: (workspace, flow) => write(workspace, releaseFlow(sql, workspace, flow)),
      releaseIdle: (workspace) =>
        write(
          workspace,
          Effect.asVoid(sql`update blast set restored = false where workspace_id = ${workspace} and restored`),
        ),
      end: Effect.asVoid(
        orDefect(sql`update service_epoch set restored_at = null, backup_at = null, flows_repeat_until = null,
          backup_counter = null, lost_counter = null, backup_journaled = null`),
      ),
    })
  }),
)
