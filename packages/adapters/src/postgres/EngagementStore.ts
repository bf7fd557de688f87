// Tracking on PostgreSQL: a delivery by its link, and what its recipient did with it.
import { PgClient } from "@effect/sql-pg"
import type { BlockReason, DeliveryState, FailureReason } from "@tentpole/core/deliveries/Delivery"
import { EngagementChange, type TrackedDelivery } from "@tentpole/core/deliveries/Engagement"
import { EngagementStore } from "@tentpole/core/deliveries/EngagementStore"
import { ApprovalId, BlastId, ContactId, DeliveryId, type WorkspaceId } from "@tentpole/core/Ids"
import { NotFound } from "@tentpole/core/Refusal"
import { Transaction } from "@tentpole/core/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { contactsById } from "./ContactStore.ts"
import { instant } from "./Instants.ts"
import { appendEvents } from "./Outbox.ts"
import { fenced } from "./Postgres.ts"

interface Row {
  readonly delivery_id: string
  readonly blast_id: string
  readonly contact_id: string
  readonly approval_id: string
  readonly operational: boolean
  readonly email: string | null
  readonly email_normalized: string | null
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  readonly token: bigint | null
  readonly attempts: number
  readonly due_at: Date
  readonly handed_over_at: Date | null
  readonly sent_at: Date | null
  readonly delivered_at: Date | null
  readonly opened_at: Date | null
  readonly clicked_at: Date | null
  readonly clicked_url: string | null
  readonly bounced_at: Date | null
  readonly unsubscribed_at: Date | null
  readonly complained_at: Date | null
  readonly suppressed: boolean
}

const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

const toTracked = (row: Row): Omit<TrackedDelivery, "contact"> => ({
  id: DeliveryId.make(row.delivery_id),
  blastId: BlastId.make(row.blast_id),
  contactId: ContactId.make(row.contact_id),
  approvalId: ApprovalId.make(row.approval_id),
  operational: row.operational,
  email: row.email,
  emailNormalized: row.email_normalized,
  state: row.state,
  reason: row.reason,
  token: row.token === null ? null : Number(row.token),
  attempts: row.attempts,
  dueAt: DateTime.makeUnsafe(row.due_at),
  handedOverAt: instant(row.handed_over_at),
  sentAt: instant(row.sent_at),
  deliveredAt: instant(row.delivered_at),
  openedAt: instant(row.opened_at),
  clickedAt: instant(row.clicked_at),
  clickedUrl: row.clicked_url,
  bouncedAt: instant(row.bounced_at),
  unsubscribedAt: instant(row.unsubscribed_at),
  complainedAt: instant(row.complained_at),
  suppressed: row.suppressed,
})

const read = (sql: PgClient.PgClient, workspace: WorkspaceId, id: DeliveryId, locking: "" | "for update of d") =>
  Effect.gen(function* () {
    const [row] = yield* sql<Row>`
      select d.delivery_id, d.blast_id, d.contact_id, d.approval_id, d.operational, d.email, d.email_normalized, d.state,
        d.reason, d.token, d.attempts, d.due_at, d.handed_over_at, d.sent_at, d.delivered_at, d.opened_at, d.clicked_at,
        d.clicked_url, d.bounced_at, d.unsubscribed_at, d.complained_at,
        exists (select from suppression s
          where s.workspace_id = d.workspace_id and s.email_normalized = d.email_normalized) as suppressed
      from delivery d
      where d.workspace_id = ${workspace} and d.delivery_id = ${id}
      ${sql.literal(locking)}`
    if (row === undefined) return yield* new NotFound({ resource: "delivery" })
    const tracked = toTracked(row)
    const contacts = yield* contactsById(sql, workspace, [tracked.contactId])
    const whole: TrackedDelivery = { ...tracked, contact: contacts.get(tracked.contactId) ?? null }
    return whole
  })

const apply = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, change: EngagementChange) {
  if (!EngagementChange.is(change)) return yield* Effect.die("engagement is written by an EngagementChange only")
  const { before, marks } = change
  const at = DateTime.formatIso(change.at)
  const written = yield* sql`
    update delivery set
      opened_at = ${iso(marks.openedAt)}, clicked_at = ${iso(marks.clickedAt)}, clicked_url = ${marks.clickedUrl},
      unsubscribed_at = ${iso(marks.unsubscribedAt)}, sent_at = ${iso(marks.sentAt)},
      delivered_at = ${iso(marks.deliveredAt)},
      state = case when ${change.provesSent}::boolean then 'sent' else state end,
      reason = case when ${change.provesSent}::boolean then null else reason end
    where workspace_id = ${workspace} and delivery_id = ${before.id} and state = ${before.state}
    returning 1`
  if (written.length !== 1) return yield* Effect.die(`delivery ${before.id} is no longer what was decided on`)
  if (change.unsubscribes && before.emailNormalized !== null) {
    yield* sql`
      insert into suppression (workspace_id, email_normalized, reason, created_at)
      values (${workspace}, ${before.emailNormalized}, 'unsubscribe', ${at})
      on conflict (workspace_id, email_normalized) do nothing`
  }
  if (before.contact !== null) yield* writeContact(sql, workspace, change, at)
  yield* appendEvents(sql, workspace, change.events)
})

const writeContact = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { before, activities, unsubscribes }: EngagementChange,
  at: string,
) {
  yield* sql`
    update contact set
      last_activity_at = greatest(last_activity_at, ${at}::timestamptz),
      updated_at = case when ${unsubscribes}::boolean and not unsubscribed then ${at}::timestamptz else updated_at end,
      unsubscribed = unsubscribed or ${unsubscribes}::boolean
    where workspace_id = ${workspace} and contact_id = ${before.contactId}`
  yield* sql`
    insert into activity (workspace_id, contact_id, at, type, metadata)
    select ${workspace}, ${before.contactId}, told.at, told.type, told.metadata
    from unnest(${texts(activities.map((each) => DateTime.formatIso(each.at)))}::timestamptz[],
      ${texts(activities.map((each) => each.type))}::text[],
      ${texts(activities.map((each) => JSON.stringify(each.metadata)))}::jsonb[])
      with ordinality as told (at, type, metadata, nth)
    order by told.nth`
})

export const layer = Layer.effect(
  EngagementStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    return EngagementStore.of({
      find: (workspace, id) => within(workspace, read(sql, workspace, id, "")),
      lock: (workspace, id) =>
        Effect.andThen(Transaction, within(workspace, read(sql, workspace, id, "for update of d"))),
      apply: (workspace, change) => Effect.andThen(Transaction, within(workspace, apply(sql, workspace, change))),
    })
  }),
)
