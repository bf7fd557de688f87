// The recipients of a blast for listings: by category and name, in any order.
import type { PgClient } from "@effect/sql-pg"
import type {
  BlastRecipient,
  RecipientCategory,
  RecipientQuery,
  RecipientSort,
  RecipientStatus,
} from "@tentpole/core/blasts/BlastStore"
import { type BlastId, ContactId, DeliveryId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Paged } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import { instant } from "../kernel/Instants.ts"

/** A delivery as recipients are read. */
export interface RecipientRow {
  readonly delivery_id: string
  readonly contact_id: string
  readonly display_name: string | null
  readonly email: string | null
  readonly contact_deleted: boolean
  readonly status: RecipientStatus
  readonly reason: string | null
  readonly sent_at: Date | null
  readonly delivered_at: Date | null
  readonly opened_at: Date | null
  readonly clicked_at: Date | null
  readonly clicked_url: string | null
  readonly bounced_at: Date | null
  readonly unsubscribed_at: Date | null
  readonly complained_at: Date | null
}

export const toRecipient = (row: RecipientRow): BlastRecipient => ({
  id: DeliveryId.make(row.delivery_id),
  contactId: ContactId.make(row.contact_id),
  displayName: row.display_name,
  email: row.email,
  contactDeleted: row.contact_deleted,
  status: row.status,
  reason: row.reason,
  sentAt: instant(row.sent_at),
  deliveredAt: instant(row.delivered_at),
  openedAt: instant(row.opened_at),
  clickedAt: instant(row.clicked_at),
  clickedUrl: row.clicked_url,
  bouncedAt: instant(row.bounced_at),
  unsubscribedAt: instant(row.unsubscribed_at),
  complainedAt: instant(row.complained_at),
})

/** The condition on deliveries `d` of each category. */
export const categories: { readonly [Category in RecipientCategory]: string } = {
  recipients: "true",
  sent: "d.state = 'sent'",
  delivered: "d.delivered_at is not null",
  opened: "d.opened_at is not null",
  clicked: "d.clicked_at is not null",
  bounced: "d.bounced_at is not null",
  unsubscribed: "d.unsubscribed_at is not null",
  spam: "d.complained_at is not null",
}

/** The columns of a `RecipientRow`, of deliveries `d`. A contact deleted during the audience pass is marked when its message is sent. */
export const recipientColumns = `d.delivery_id, d.contact_id, d.display_name, d.email,
  d.contact_deleted or d.reason is not distinct from 'contact_deleted' as contact_deleted,
  case when d.state in ('queued', 'claimed', 'handed_over') then 'queued'
    when d.state = 'unconfirmed' then 'failed' else d.state end as status,
  d.reason, d.sent_at, d.delivered_at, d.opened_at, d.clicked_at, d.clicked_url, d.bounced_at, d.unsubscribed_at,
  d.complained_at`

const sorts: { readonly [Sort in RecipientSort]: string } = {
  display_name: "d.display_name_folded",
  email: "d.email_normalized",
  created_at: "d.created_at",
  sent_at: "d.sent_at",
  delivered_at: "d.delivered_at",
  opened_at: "d.opened_at",
  clicked_at: "d.clicked_at",
  bounced_at: "d.bounced_at",
  unsubscribed_at: "d.unsubscribed_at",
  complained_at: "d.complained_at",
}

export const recipients = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  id: BlastId,
  query: RecipientQuery,
) {
  const named =
    query.search === "" ? sql.literal("") : sql` and strpos(d.display_name_folded, ${fold(query.search)}) > 0`
  const chosen = sql`d.workspace_id = ${workspace} and d.blast_id = ${id} and ${sql.literal(categories[query.category])}${named}`
  const [counted] = yield* sql<{ readonly total: number }>`
    select (select count(*)::int from delivery d where ${chosen}) as total
    from blast b where b.workspace_id = ${workspace} and b.blast_id = ${id} and b.purpose = 'blast'`
  if (counted === undefined) return yield* new NotFound({ resource: "email blast" })
  const rows = yield* sql<RecipientRow>`
    select ${sql.literal(recipientColumns)}
    from delivery d
    where ${chosen}
    order by ${sql.literal(`${sorts[query.sort]} ${query.order}`)} nulls last, d.delivery_id
    limit ${query.limit} offset ${(query.page - 1) * query.limit}`
  return { items: rows.map(toRecipient), total: counted.total } satisfies Paged<BlastRecipient>
})
