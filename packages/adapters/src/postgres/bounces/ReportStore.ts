// `BounceReportStore` on PostgreSQL: deliveries with the facts of their addresses, and batched writes of bounce reports.
import type { PgClient } from "@effect/sql-pg"
import type { BounceKind } from "@tentpole/core/sending/EnhancedCode"
import type { ReportChange, ReportedDelivery } from "@tentpole/core/bounces/Report"
import { BounceReportStore } from "@tentpole/core/bounces/ReportStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { makeMembersDue, type WrittenDelivery } from "../flows/FlowMessages.ts"
import { deliveryColumns, type DeliveryRow, lockDeliveries, storedState, toDelivery } from "../sending/DeliveryRows.ts"
import { changeBetween, countChange, countedColumns } from "../sending/DeliveryCounters.ts"
import { iso } from "../kernel/Instants.ts"
import { newestTo, suppress } from "../sending/Suppressions.ts"
import { suppressionsOf, writeRecipients } from "../tracking/EngagementStore.ts"
import { storeLayer } from "../StoreLayer.ts"

type Row = DeliveryRow & { readonly bounceKind: BounceKind | null }

const columns = `${deliveryColumns}, d.bounce_kind as "bounceKind"`

const lock = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<DeliveryId>,
) {
  if (ids.length === 0) return []
  const { rows, contacts } = yield* lockDeliveries<Row>(sql, workspace, ids, columns)
  const found = rows.map((row) => ({ ...toDelivery(row), bounceKind: row.bounceKind }))
  const suppressions = yield* suppressionsOf(sql, workspace, rows)
  const newest = yield* newestTo(
    sql,
    workspace,
    found.map(({ id }) => id),
  )
  return found.map((each): ReportedDelivery => ({
    ...each,
    contact: each.contactId === null ? null : (contacts.get(each.contactId) ?? null),
    suppression: suppressions.get(each.emailNormalized) ?? null,
    newest: newest.get(each.id) ?? [],
  }))
})

const apply = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<ReportChange>,
) {
  if (changes.length === 0) return
  yield* writeDeliveries(sql, workspace, changes)
  yield* suppress(
    sql,
    workspace,
    changes.flatMap(({ after: { emailNormalized, suppression }, at, before }) =>
      suppression === null || suppression === before.suppression || emailNormalized === null
        ? []
        : [{ email: emailNormalized, reason: suppression, createdAt: at }],
    ),
  )
  yield* writeRecipients(sql, workspace, changes)
})

/** A report about a message whose worker has no reply yet ends its claim. The caller has locked the deliveries. */
const writeDeliveries = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<ReportChange>,
) {
  const rows = changes.map(({ after }) => after)
  const ids = texts(rows.map(({ id }) => id))
  const ended = changes.filter(({ after, before }) => storedState(before.state) !== storedState(after.state))
  const written = yield* sql<WrittenDelivery & { readonly was: string }>`
    with ended as (
      delete from delivery_queue
      where workspace_id = ${workspace} and delivery_id = any(${texts(ended.map(({ after }) => after.id))}::uuid[])
      returning delivery_id, token, handed_over_at
    ),
    was as materialized (
      select ${sql.literal(countedColumns())} from delivery d
      where d.workspace_id = ${workspace} and d.delivery_id = any(${ids}::uuid[])
    ),
    changed as (
      update delivery d set
        state = g.state, reason = g.reason, failed_at = case when g.state in ('failed', 'unconfirmed') then d.failed_at end, token = coalesce(ended.token, d.token),
        handed_over_at = coalesce(ended.handed_over_at, d.handed_over_at), sent_at = g.sent_at, delivered_at = g.delivered_at, bounced_at = g.bounced_at,
        bounce_kind = g.bounce_kind, complained_at = g.complained_at
      from unnest(${ids}::uuid[], ${texts(changes.map(({ before }) => storedState(before.state)))}::text[],
        ${texts(rows.map(({ state }) => storedState(state)))}::text[], ${texts(rows.map(({ reason }) => reason))}::text[],
        ${texts(rows.map(({ sentAt }) => iso(sentAt)))}::timestamptz[],
        ${texts(rows.map(({ deliveredAt }) => iso(deliveredAt)))}::timestamptz[],
        ${texts(rows.map(({ bouncedAt }) => iso(bouncedAt)))}::timestamptz[],
        ${texts(rows.map(({ bounceKind }) => bounceKind))}::text[],
        ${texts(rows.map(({ complainedAt }) => iso(complainedAt)))}::timestamptz[])
        as g (id, was, state, reason, sent_at, delivered_at, bounced_at, bounce_kind, complained_at)
      left join ended on ended.delivery_id = g.id
      where d.workspace_id = ${workspace} and d.delivery_id = g.id and d.state = g.was
      returning d.membership_id, d.visit, g.was, ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeBetween("was", "changed"))}
    select state, membership_id, visit, was from changed`
  if (written.length !== changes.length) return yield* Effect.die("a delivery is no longer what was decided on")
  yield* makeMembersDue(
    sql,
    workspace,
    written.filter(({ state, was }) => state !== was),
  )
})

export const layer = storeLayer(BounceReportStore, ({ sql, write, writer }) => ({
  lock: (workspace, ids) => write(workspace, lock(sql, workspace, ids)),
  apply: (workspace, changes) =>
    write(workspace, Effect.andThen(apply(sql, workspace, changes), writer.writeEffects(workspace, changes))),
}))
