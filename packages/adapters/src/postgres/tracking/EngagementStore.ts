// `EngagementStore` on PostgreSQL: deliveries found by their links, and opens, clicks and unsubscriptions.
import type { PgClient } from "@effect/sql-pg"
import type { Activity } from "@tentpole/core/contacts/Activity"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import type { DeliveryState } from "@tentpole/core/sending/Delivery"
import type { LinkClicks } from "@tentpole/core/tracking/LinkClicks"
import type { EngagementChange, TrackedDelivery } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import { countsOfRecipients } from "@tentpole/core/figures/DayFigures"
import type { ContactId, DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DateTime, Effect } from "effect"
import { booleans, ints, texts } from "../kernel/Arrays.ts"
import { followMerges } from "../contacts/ContactMerge.ts"
import { contactsById } from "../contacts/ContactStore.ts"
import { writeActivities } from "../contacts/ContactWrites.ts"
import { addDayCounts } from "../figures/DayFigures.ts"
import {
  deliveryColumns,
  type DeliveryRow,
  deliveryTables,
  lockDeliveries,
  storedState,
} from "../sending/DeliveryRows.ts"
import { changeBetween, countChange, countedColumns, deliveryShard } from "../sending/DeliveryCounters.ts"
import { homeOf } from "../citus/Home.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { suppress } from "../sending/Suppressions.ts"
import { storeLayer } from "../StoreLayer.ts"
import { moveUnsubscribed } from "../topics/TopicCounts.ts"

type Tracked = Omit<TrackedDelivery, "contact" | "suppressed">
type Row = DeliveryRow & RowOf<Tracked>

const columns = `${deliveryColumns}, d.operational, d.machine_opened_at as "machineOpenedAt",
  d.machine_clicked_at as "machineClickedAt"`

const toTracked = (row: Row, contacts: ReadonlyMap<ContactId, Contact>, suppressed: boolean): TrackedDelivery => ({
  ...fromRow<Tracked>(row),
  contact: row.contactId === null ? null : (contacts.get(row.contactId) ?? null),
  suppressed,
})

const find = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, id: DeliveryId) {
  const row = yield* sql<Row & { readonly suppressed: boolean }>`
    select ${sql.literal(columns)},
      exists (select from suppression s
        where s.workspace_id = ${workspace} and s.email_normalized = d.email_normalized) as suppressed
    from ${deliveryTables(sql, workspace)}
    where d.workspace_id = ${workspace} and d.delivery_id = ${id}`.pipe(Effect.flatMap(requireRow("delivery")))
  const contactsOf = (contactId: ContactId | null) =>
    contactsById(sql, workspace, contactId === null ? [] : [contactId])
  const contacts = yield* contactsOf(row.contactId)
  if (contacts.size > 0 || row.contactId === null) return toTracked(row, contacts, row.suppressed)
  const [current = row] = yield* followMerges(sql, workspace, [row], contacts)
  return toTracked(current, yield* contactsOf(current.contactId), row.suppressed)
})

const lock = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<DeliveryId>,
) {
  if (ids.length === 0) return new Map<DeliveryId, TrackedDelivery>()
  const { rows, contacts } = yield* lockDeliveries<Row>(sql, workspace, ids, columns)
  const suppressions = yield* suppressionsOf(sql, workspace, rows)
  return new Map(rows.map((row) => [row.id, toTracked(row, contacts, suppressions.has(row.emailNormalized))]))
})

/** The reasons for which addresses are suppressed. */
export const suppressionsOf = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  rows: ReadonlyArray<{ readonly emailNormalized: string | null }>,
) =>
  sql<{ readonly email: string; readonly reason: SuppressionReason }>`
    select email_normalized as email, reason from suppression
    where workspace_id = ${workspace} and email_normalized = any(${texts(rows.map((row) => row.emailNormalized))}::text[])`.pipe(
    Effect.map((found) => new Map<string | null, SuppressionReason>(found.map(({ email, reason }) => [email, reason]))),
  )

const apply = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<EngagementChange>,
) {
  if (changes.length === 0) return
  yield* writeDeliveries(sql, workspace, changes)
  yield* suppress(
    sql,
    workspace,
    changes.flatMap(({ after: { emailNormalized, suppressed }, at, before }) =>
      suppressed && !before.suppressed && emailNormalized !== null
        ? [{ email: emailNormalized, reason: "unsubscribe" as const, createdAt: at }]
        : [],
    ),
  )
  yield* writeRecipients(sql, workspace, changes)
})

/** For each delivery, the state before its first change and after its last. They end no claim. The caller has locked them. */
const writeDeliveries = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<EngagementChange>,
) {
  const was = new Map<DeliveryId, DeliveryState>()
  for (const { before } of changes) if (!was.has(before.id)) was.set(before.id, storedState(before.state))
  const rows = [...new Map(changes.map(({ after }) => [after.id, after])).values()]
  const ids = texts(rows.map((row) => row.id))
  const written = yield* sql`
    with was as materialized (
      select ${sql.literal(countedColumns())} from delivery d
      where d.workspace_id = ${workspace} and d.delivery_id = any(${ids}::uuid[])
    ),
    changed as (
      update delivery d set state = g.state, reason = g.reason,
        failed_at = case when g.state in ('failed', 'unconfirmed') then d.failed_at end, opened_at = g.opened_at, clicked_at = g.clicked_at,
        clicked_url = g.clicked_url, unsubscribed_at = g.unsubscribed_at, sent_at = g.sent_at, delivered_at = g.delivered_at,
        machine_opened_at = g.machine_opened_at, machine_clicked_at = g.machine_clicked_at
      from unnest(${ids}::uuid[], ${texts(rows.map((row) => was.get(row.id) ?? null))}::text[],
        ${texts(rows.map((row) => storedState(row.state)))}::text[], ${texts(rows.map((row) => row.reason))}::text[],
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
      returning ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeBetween("was", "changed"))}
    select 1 from changed`
  if (written.length !== rows.length) {
    return yield* Effect.die(`${rows.length - written.length} deliveries are no longer what was decided on`)
  }
})

/** The deliveries are locked: their rows of `delivery_click` are current in the snapshot of the statement. */
const addClicks = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  clicks: ReadonlyArray<LinkClicks>,
) {
  if (clicks.length === 0) return
  const shard = yield* deliveryShard
  yield* sql`
        with given as materialized (
          select g.delivery_id, g.link_index, g.blast_id, g.contact_id, g.clicks, g.machine_clicks
          from unnest(${texts(clicks.map(({ deliveryId }) => deliveryId))}::uuid[],
            ${ints(clicks.map(({ link }) => link))}::int[], ${texts(clicks.map(({ blastId }) => blastId))}::uuid[],
            ${texts(clicks.map(({ contactId }) => contactId))}::uuid[], ${ints(clicks.map((each) => each.clicks))}::int[],
            ${ints(clicks.map(({ machineClicks }) => machineClicks))}::int[])
            as g (delivery_id, link_index, blast_id, contact_id, clicks, machine_clicks)
        ),
        first as materialized (
          select g.blast_id, g.link_index, g.clicks, g.machine_clicks, g.clicks > 0 and k.known is null as is_first
          from given g
          left join lateral (
            select true as known from delivery_click k
            where k.workspace_id = ${workspace} and k.delivery_id = g.delivery_id and k.link_index = g.link_index and k.clicks > 0
            limit 1) as k on true
        ),
        of_messages as (
          insert into delivery_click as k (workspace_id, delivery_id, link_index, blast_id, contact_id, clicks, machine_clicks)
          select home.workspace_id, delivery_id, link_index, blast_id, contact_id, clicks, machine_clicks
          from ${homeOf(sql, workspace)} cross join given
          order by delivery_id, link_index
          on conflict (workspace_id, delivery_id, link_index) do update set
            clicks = k.clicks + excluded.clicks, machine_clicks = k.machine_clicks + excluded.machine_clicks
        ),
        of_links as (
          insert into delivery_link as l (workspace_id, blast_id, link_index, shard, recipients, clicks, machine_clicks)
          select home.workspace_id, blast_id, link_index, ${shard}::smallint, recipients, clicks, machine_clicks
          from ${homeOf(sql, workspace)} cross join (
            select blast_id, link_index, count(*) filter (where is_first) as recipients, sum(clicks) as clicks,
              sum(machine_clicks) as machine_clicks
            from first group by blast_id, link_index
          ) as g
          order by blast_id, link_index
          on conflict (workspace_id, blast_id, link_index, shard) do update set recipients = l.recipients + excluded.recipients,
            clicks = l.clicks + excluded.clicks, machine_clicks = l.machine_clicks + excluded.machine_clicks
        )
        select 1`
})

interface RecipientChange {
  readonly before: { readonly contact: Contact | null }
  readonly after: { readonly contact: Contact | null }
  readonly at: DateTime.Utc
  readonly activities: ReadonlyArray<Activity>
}

/** Writes the flags that changes set on contacts, which are locked, and the timelines. Several changes of one contact add up. */
export const writeRecipients = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<RecipientChange>,
) {
  const flagged = changes.flatMap(({ after: { contact }, at, before }) =>
    contact === null || contact === before.contact ? [] : [{ ...contact, at }],
  )
  if (flagged.length > 0) {
    const left = changes.flatMap(({ after, before }) =>
      before.contact?.unsubscribed === false && after.contact?.unsubscribed === true ? [after.contact.id] : [],
    )
    yield* moveUnsubscribed(sql, workspace, { left: [...new Set(left)], returned: [] })
    const counts = countsOfRecipients(changes)
    const counted = counts.length === 0 ? sql`` : sql`with counted as (${yield* addDayCounts(sql, workspace, counts)})`
    yield* sql`
      ${counted}
      update contact c set unsubscribed = c.unsubscribed or g.unsubscribed,
        marketing_email_invalid = c.marketing_email_invalid or g.invalid, updated_at = g.at
      from (
        select id, bool_or(unsubscribed) as unsubscribed, bool_or(invalid) as invalid, max(at) as at
        from unnest(${texts(flagged.map(({ id }) => id))}::uuid[],
        ${booleans(flagged.map(({ unsubscribed }) => unsubscribed))}::boolean[],
        ${booleans(flagged.map(({ marketingEmailInvalid }) => marketingEmailInvalid))}::boolean[],
        ${texts(flagged.map(({ at }) => iso(at)))}::timestamptz[]) as each (id, unsubscribed, invalid, at)
        group by id
      ) as g
      where c.workspace_id = ${workspace} and c.contact_id = g.id`
  }
  yield* writeActivities(
    sql,
    workspace,
    changes.flatMap(({ activities }) => activities),
  )
})

export const layer = storeLayer(EngagementStore, ({ sql, write, quick, writer }) => ({
  get: (workspace, id) => quick.read(workspace, (client) => find(client, workspace, id)),
  lock: (workspace, ids) => write(workspace, lock(sql, workspace, ids)),
  addClicks: (workspace, clicks) => write(workspace, addClicks(sql, workspace, clicks)),
  apply: (workspace, changes) =>
    write(workspace, Effect.andThen(apply(sql, workspace, changes), writer.writeEffects(workspace, changes))),
}))
