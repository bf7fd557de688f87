// Delivery rows on PostgreSQL and their conversion to deliveries, and the lock on deliveries, their rows of the queue and contacts.
import type { PgClient } from "@effect/sql-pg"
import { type Delivery, type DeliveryState, finalStates } from "@tentpole/core/sending/Delivery"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { followMerges } from "../contacts/ContactMerge.ts"
import { contactColumns, type ContactRow, toContact } from "../contacts/ContactRows.ts"
import { fromRow, type RowOf } from "../kernel/Instants.ts"

type Sql = PgClient.PgClient

type StoredDelivery = Delivery & { readonly emailNormalized: string | null }
export type DeliveryRow = RowOf<StoredDelivery>

/** What has happened to a delivery `d`. */
export const progressColumns = `d.sent_at as "sentAt", d.delivered_at as "deliveredAt", d.opened_at as "openedAt",
  d.clicked_at as "clickedAt", d.clicked_url as "clickedUrl", d.bounced_at as "bouncedAt", d.unsubscribed_at as "unsubscribedAt",
  d.complained_at as "complainedAt"`

/** Deliveries `d`, those that have not ended with their rows `q` of the queue. */
export const deliveryTables = (sql: Sql, workspace: WorkspaceId) => sql`delivery d
  left join delivery_queue q on d.state = 'queued' and q.workspace_id = ${workspace} and q.delivery_id = d.delivery_id`

/** What `delivery` stores as the state: only `delivery_queue` has the states of a claim. */
export const storedState = (state: DeliveryState): DeliveryState => (finalStates.has(state) ? state : "queued")

/** The columns of a `DeliveryRow`, for a SELECT from `deliveryTables`. */
export const deliveryColumns = `d.delivery_id as id, d.blast_id as "blastId",
  case when d.membership_id is not null then jsonb_build_object('membershipId', d.membership_id, 'flowId', d.flow_id,
    'stepId', d.step_id, 'visit', d.visit, 'tokens', d.tokens) end as flow,
  d.message,
  d.contact_id as "contactId", d.approval_id as "approvalId", d.topic_id as "topicId", d.email, d.email_normalized as "emailNormalized",
  coalesce(q.state, d.state) as state, d.reason, coalesce(q.token, d.token)::float8 as token, d.attempts,
  coalesce(q.due_at, d.created_at) as "dueAt", q.expires_at as "expiresAt", coalesce(q.handed_over_at, d.handed_over_at) as "handedOverAt",
  ${progressColumns}`

export const toDelivery = fromRow<StoredDelivery>

/**
 * Locks rows of the queue, then deliveries, then contacts, each in the order of their ids, as every transaction does. Several
 * statements: a row that is joined to a locked row shows the state before the wait for the lock. A message of a merged contact is
 * returned as a message of the contact that it was merged into.
 */
export const lockDeliveries = Effect.fnUntraced(function* <Row extends DeliveryRow>(
  sql: Sql,
  workspace: WorkspaceId,
  ids: ReadonlyArray<DeliveryId>,
  columns: string,
) {
  yield* sql`
    select 1 from delivery_queue
    where workspace_id = ${workspace} and delivery_id = any(${texts(ids)}::uuid[])
    order by delivery_id for update`
  const rows = yield* sql<Row>`
    select ${sql.literal(columns)} from ${deliveryTables(sql, workspace)}
    where d.workspace_id = ${workspace} and d.delivery_id = any(${texts(ids)}::uuid[])
    order by d.delivery_id for no key update of d`
  const found = yield* sql<ContactRow>`
    select ${sql.literal(contactColumns)} from contact c
    where c.workspace_id = ${workspace} and c.contact_id = any(array(
      select coalesce(f.contact_id, g.id) from unnest(${texts(rows.map((row) => row.contactId))}::uuid[]) as g (id)
      left join contact_former_id f on f.workspace_id = ${workspace} and f.former_id = g.id))
    order by c.contact_id for no key update`
  const contacts = new Map(found.map((row) => [row.id, toContact(row)]))
  return { rows: yield* followMerges(sql, workspace, rows, contacts), contacts }
})
