// `EngagementStore` on PostgreSQL: deliveries found by their links, and opens, clicks and unsubscriptions.
import { PgClient } from "@effect/sql-pg"
import { type Activity, ownActivityTypes } from "@tentpole/core/contacts/Activity"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { DeliveryState } from "@tentpole/core/sending/Delivery"
import { EngagementChange, type TrackedDelivery } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import { ContactId, DeliveryId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { contactsById } from "../contacts/ContactStore.ts"
import { deliveryColumns, type DeliveryRow, lockDeliveries, toDelivery } from "../sending/DeliveryRows.ts"
import { instant } from "../kernel/Instants.ts"
import { appendEvents } from "../kernel/Outbox.ts"
import { fenced, Reads } from "../kernel/Postgres.ts"

interface Row extends DeliveryRow {
  readonly operational: boolean
  readonly machine_opened_at: Date | null
  readonly machine_clicked_at: Date | null
}

const columns = `${deliveryColumns}, d.operational, d.machine_opened_at, d.machine_clicked_at`

const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

const toTracked = (row: Row, contacts: ReadonlyMap<ContactId, Contact>, suppressed: boolean): TrackedDelivery => ({
  ...toDelivery(row),
  operational: row.operational,
  machineOpenedAt: instant(row.machine_opened_at),
  machineClickedAt: instant(row.machine_clicked_at),
  contact: contacts.get(row.contactId) ?? null,
  suppressed,
})

const find = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, id: DeliveryId) {
  const [row] = yield* sql<Row & { readonly suppressed: boolean }>`
    select ${sql.literal(columns)},
      exists (select from suppression s
        where s.workspace_id = d.workspace_id and s.email_normalized = d.email_normalized) as suppressed
    from delivery d
    where d.workspace_id = ${workspace} and d.delivery_id = ${id}`
  if (row === undefined) return yield* new NotFound({ resource: "delivery" })
  const contacts = yield* contactsById(sql, workspace, [row.contactId])
  return toTracked(row, contacts, row.suppressed)
})

const lock = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<DeliveryId>,
) {
  if (ids.length === 0) return new Map<DeliveryId, TrackedDelivery>()
  const { rows, contacts } = yield* lockDeliveries<Row>(sql, workspace, ids, columns)
  const suppressed = new Set(
    (yield* sql<{ readonly email_normalized: string }>`
      select s.email_normalized from suppression s
      where s.workspace_id = ${workspace} and s.email_normalized = any(${texts(rows.map((row) => row.emailNormalized))}::text[])`).map(
      (row) => row.email_normalized,
    ),
  )
  return new Map(
    rows.map((row) => [
      row.id,
      toTracked(row, contacts, row.emailNormalized !== null && suppressed.has(row.emailNormalized)),
    ]),
  )
})

const apply = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<EngagementChange>,
) {
  if (changes.length === 0) return
  if (!changes.every(EngagementChange.is)) return yield* Effect.die("engagement is written by EngagementChanges only")
  yield* writeDeliveries(sql, workspace, changes)
  yield* suppress(sql, workspace, changes)
  const known = changes.filter((change) => change.before.contact !== null && change.activities.length > 0)
  if (known.length > 0) {
    yield* writeContacts(sql, workspace, known)
    yield* writeActivities(
      sql,
      workspace,
      known.flatMap((change) => change.activities),
    )
  }
  yield* appendEvents(
    sql,
    workspace,
    changes.flatMap((change) => change.events),
  )
})

/** For each delivery, the state before its first change and after its last. */
const writeDeliveries = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<EngagementChange>,
) {
  const was = new Map<DeliveryId, DeliveryState>()
  for (const { before } of changes) if (!was.has(before.id)) was.set(before.id, before.state)
  const rows = [...new Map(changes.map(({ after }) => [after.id, after])).values()]
  const written = yield* sql`
    update delivery d set state = g.state, reason = g.reason, opened_at = g.opened_at, clicked_at = g.clicked_at,
      clicked_url = g.clicked_url, unsubscribed_at = g.unsubscribed_at, sent_at = g.sent_at, delivered_at = g.delivered_at,
      machine_opened_at = g.machine_opened_at, machine_clicked_at = g.machine_clicked_at
    from unnest(${texts(rows.map((row) => row.id))}::uuid[], ${texts(rows.map((row) => was.get(row.id) ?? null))}::text[],
      ${texts(rows.map((row) => row.state))}::text[], ${texts(rows.map((row) => row.reason))}::text[],
      ${texts(rows.map((row) => iso(row.openedAt)))}::timestamptz[],
      ${texts(rows.map((row) => iso(row.clickedAt)))}::timestamptz[], ${texts(rows.map((row) => row.clickedUrl))}::text[],
      ${texts(rows.map((row) => iso(row.unsubscribedAt)))}::timestamptz[],
      ${texts(rows.map((row) => iso(row.sentAt)))}::timestamptz[],
      ${texts(rows.map((row) => iso(row.deliveredAt)))}::timestamptz[],
      ${texts(rows.map((row) => iso(row.machineOpenedAt)))}::timestamptz[],
      ${texts(rows.map((row) => iso(row.machineClickedAt)))}::timestamptz[])
      as g (id, was, state, reason, opened_at, clicked_at, clicked_url, unsubscribed_at, sent_at, delivered_at,
        machine_opened_at, machine_clicked_at)
    where d.workspace_id = ${workspace} and d.delivery_id = g.id and d.state = g.was
    returning 1`
  if (written.length !== rows.length) {
    return yield* Effect.die(`${rows.length - written.length} deliveries are no longer what was decided on`)
  }
})

const suppress = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<EngagementChange>,
) {
  const unsubscribed = changes.filter((change) => change.unsubscribes && change.before.emailNormalized !== null)
  if (unsubscribed.length === 0) return
  yield* sql`
    insert into suppression (workspace_id, email_normalized, reason, created_at)
    select ${workspace}, g.email_normalized, 'unsubscribe', min(g.at)
    from unnest(${texts(unsubscribed.map((change) => change.before.emailNormalized))}::text[],
      ${texts(unsubscribed.map((change) => iso(change.at)))}::timestamptz[]) as g (email_normalized, at)
    group by g.email_normalized
    order by g.email_normalized
    on conflict (workspace_id, email_normalized) do nothing`
})

const writeContacts = (sql: PgClient.PgClient, workspace: WorkspaceId, changes: ReadonlyArray<EngagementChange>) => sql`
  update contact c set
    last_activity_at = greatest(c.last_activity_at, g.active_at),
    updated_at = case when not c.unsubscribed then coalesce(g.unsubscribed_at, c.updated_at) else c.updated_at end,
    unsubscribed = c.unsubscribed or g.unsubscribed_at is not null
  from (
    select contact_id, max(active_at) as active_at, min(unsubscribed_at) as unsubscribed_at
    from unnest(${texts(changes.map((change) => change.before.contactId))}::uuid[],
      ${texts(changes.map((change) => iso(activeAt(change))))}::timestamptz[],
      ${texts(changes.map((change) => (change.unsubscribes ? iso(change.at) : null)))}::timestamptz[])
      as each (contact_id, active_at, unsubscribed_at)
    group by contact_id
  ) as g
  where c.workspace_id = ${workspace} and c.contact_id = g.contact_id`

/** The time of a contact's own activity; null for other types. */
const activeAt = ({ activities, at }: EngagementChange): DateTime.Utc | null =>
  activities.some((each) => ownActivityTypes.has(each.type)) ? at : null

const writeActivities = (sql: PgClient.PgClient, workspace: WorkspaceId, activities: ReadonlyArray<Activity>) => sql`
  insert into activity (workspace_id, contact_id, at, type, metadata)
  select ${workspace}, added.contact_id, added.at, added.type, added.metadata
  from unnest(${texts(activities.map((each) => each.contactId))}::uuid[],
    ${texts(activities.map((each) => iso(each.at)))}::timestamptz[],
    ${texts(activities.map((each) => each.type))}::text[],
    ${texts(activities.map((each) => JSON.stringify(each.metadata)))}::jsonb[])
    with ordinality as added (contact_id, at, type, metadata, nth)
  order by added.nth`

export const layer = Layer.effect(
  EngagementStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { read } = yield* Reads
    const within = fenced(sql)
    return EngagementStore.of({
      get: (workspace, id) => read(workspace, (client) => find(client, workspace, id)),
      lock: (workspace, ids) => Effect.andThen(Transaction, within(workspace, lock(sql, workspace, ids))),
      apply: (workspace, changes) => Effect.andThen(Transaction, within(workspace, apply(sql, workspace, changes))),
    })
  }),
)
