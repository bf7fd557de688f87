// `BounceReportStore` on PostgreSQL: deliveries with the facts of their addresses, and batched writes of bounce reports.
import { PgClient } from "@effect/sql-pg"
import type { BounceKind } from "@tentpole/core/sending/EnhancedCode"
import { ReportChange, type ReportedDelivery } from "@tentpole/core/bounces/Report"
import { BounceReportStore } from "@tentpole/core/bounces/ReportStore"
import { ownActivityTypes } from "@tentpole/core/contacts/Activity"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { booleans, texts } from "../kernel/Arrays.ts"
import { deliveryColumns, type DeliveryRow, lockDeliveries, toDelivery } from "../sending/DeliveryRows.ts"
import { appendEvents } from "../kernel/Outbox.ts"
import { fenced } from "../kernel/Postgres.ts"
import { newestTo, suppress } from "../sending/Suppressions.ts"

interface Row extends DeliveryRow {
  readonly bounce_kind: BounceKind | null
}

const columns = `${deliveryColumns}, d.bounce_kind`

const lock = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<DeliveryId>,
) {
  if (ids.length === 0) return []
  const { rows, contacts } = yield* lockDeliveries<Row>(sql, workspace, ids, columns)
  const found = rows.map((row) => ({ ...toDelivery(row), bounceKind: row.bounce_kind }))
  const suppressions = yield* suppressionsOf(sql, workspace, found)
  const newest = yield* newestTo(
    sql,
    workspace,
    found.map(({ id }) => id),
  )
  return found.map((each): ReportedDelivery => ({
    ...each,
    contact: contacts.get(each.contactId) ?? null,
    suppression: each.emailNormalized === null ? null : (suppressions.get(each.emailNormalized) ?? null),
    newest: newest.get(each.id) ?? [],
  }))
})

const suppressionsOf = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  targets: ReadonlyArray<{ readonly emailNormalized: string | null }>,
) {
  const rows = yield* sql<{ readonly email_normalized: string; readonly reason: SuppressionReason }>`
    select email_normalized, reason from suppression
    where workspace_id = ${workspace}
      and email_normalized = any(${texts(targets.map(({ emailNormalized }) => emailNormalized))}::text[])`
  return new Map(rows.map(({ email_normalized, reason }) => [email_normalized, reason]))
})

const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

const apply = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<ReportChange>,
) {
  if (changes.length === 0) return
  if (!changes.every(ReportChange.is)) return yield* Effect.die("reports are written by ReportChanges only")
  yield* writeDeliveries(sql, workspace, changes)
  yield* suppress(
    sql,
    workspace,
    changes.flatMap(({ at, before: { emailNormalized }, suppresses }) =>
      suppresses === null || emailNormalized === null ? [] : [{ emailNormalized, reason: suppresses, at }],
    ),
  )
  yield* writeContacts(sql, workspace, changes)
  yield* appendEvents(
    sql,
    workspace,
    changes.flatMap(({ events }) => events),
  )
})

const writeDeliveries = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<ReportChange>,
) {
  const written = yield* sql`
    update delivery d set
      sent_at = g.sent_at, delivered_at = g.delivered_at, bounced_at = g.bounced_at, bounce_kind = g.bounce_kind,
      complained_at = g.complained_at,
      state = case when g.proven then 'sent' else d.state end,
      reason = case when g.proven then null else d.reason end
    from unnest(${texts(changes.map(({ before }) => before.id))}::uuid[],
      ${texts(changes.map(({ before }) => before.state))}::text[],
      ${texts(changes.map(({ marks }) => iso(marks.sentAt)))}::timestamptz[],
      ${texts(changes.map(({ marks }) => iso(marks.deliveredAt)))}::timestamptz[],
      ${texts(changes.map(({ marks }) => iso(marks.bouncedAt)))}::timestamptz[],
      ${texts(changes.map(({ marks }) => marks.bounceKind))}::text[],
      ${texts(changes.map(({ marks }) => iso(marks.complainedAt)))}::timestamptz[],
      ${booleans(changes.map(({ provesSent }) => provesSent))}::boolean[])
      as g (id, state, sent_at, delivered_at, bounced_at, bounce_kind, complained_at, proven)
    where d.workspace_id = ${workspace} and d.delivery_id = g.id and d.state = g.state
    returning 1`
  if (written.length !== changes.length) return yield* Effect.die("a delivery is no longer what was decided on")
})

const writeContacts = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<ReportChange>,
) {
  const known = changes.filter(({ before }) => before.contact !== null)
  if (known.length === 0) return
  const own = known.map(({ activities }) => activities.filter(({ type }) => ownActivityTypes.has(type)))
  yield* sql`
    update contact c set
      last_activity_at = greatest(c.last_activity_at, g.active_at),
      updated_at = case when g.unsubscribes or g.invalidates then g.at else c.updated_at end,
      unsubscribed = c.unsubscribed or g.unsubscribes,
      marketing_email_invalid = c.marketing_email_invalid or g.invalidates
    from unnest(${texts(known.map(({ before }) => before.contactId))}::uuid[],
      ${texts(known.map(({ at }) => iso(at)))}::timestamptz[],
      ${texts(own.map(([first]) => iso(first?.at ?? null)))}::timestamptz[],
      ${booleans(known.map(({ unsubscribes }) => unsubscribes))}::boolean[],
      ${booleans(known.map(({ invalidates }) => invalidates))}::boolean[])
      as g (id, at, active_at, unsubscribes, invalidates)
    where c.workspace_id = ${workspace} and c.contact_id = g.id
      and (g.active_at is not null or g.unsubscribes or g.invalidates)`
  const activities = known.flatMap((change) => change.activities)
  yield* sql`
    insert into activity (workspace_id, contact_id, at, type, metadata)
    select ${workspace}, added.id, added.at, added.type, added.metadata
    from unnest(${texts(activities.map((each) => each.contactId))}::uuid[],
      ${texts(activities.map((each) => iso(each.at)))}::timestamptz[],
      ${texts(activities.map((each) => each.type))}::text[],
      ${texts(activities.map((each) => JSON.stringify(each.metadata)))}::jsonb[])
      with ordinality as added (id, at, type, metadata, nth)
    order by added.nth`
})

export const layer = Layer.effect(
  BounceReportStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    return BounceReportStore.of({
      lock: (workspace, ids) => Effect.andThen(Transaction, within(workspace, lock(sql, workspace, ids))),
      apply: (workspace, changes) => Effect.andThen(Transaction, within(workspace, apply(sql, workspace, changes))),
    })
  }),
)
