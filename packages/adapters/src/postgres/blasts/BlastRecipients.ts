// The recipients of a blast for listings: by category and name, in any order.
import type { PgClient } from "@effect/sql-pg"
import type { BlastRecipient, RecipientCategory, RecipientQuery, RecipientSort } from "@tentpole/core/blasts/BlastStore"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Paged } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { progressColumns } from "../sending/DeliveryRows.ts"

export type RecipientRow = RowOf<BlastRecipient>

export const toRecipient = fromRow<BlastRecipient>

/** The condition on deliveries `d` of each category. */
export const categories: { readonly [Category in RecipientCategory]: string } = {
  recipients: "true",
  queued: "d.state = 'queued'",
  deferred: "d.state = 'queued' and d.attempts > 0",
  sent: "d.state = 'sent'",
  failed: "d.state in ('failed', 'unconfirmed')",
  unconfirmed: "d.state = 'unconfirmed'",
  blocked: "d.state = 'blocked'",
  delivered: "d.delivered_at is not null",
  opened: "d.opened_at is not null",
  clicked: "d.clicked_at is not null",
  bounced: "d.bounced_at is not null",
  unsubscribed: "d.unsubscribed_at is not null",
  spam: "d.complained_at is not null",
}

/** The columns of a `RecipientRow`, of deliveries `d`. A contact deleted during the audience pass is marked when its message is sent. */
export const recipientColumns = `d.delivery_id as id, d.contact_id as "contactId", d.display_name as "displayName", d.email,
  d.contact_deleted or d.reason is not distinct from 'contact_deleted' as "contactDeleted",
  case when d.state = 'unconfirmed' then 'failed' else d.state end as status,
  d.reason, ${progressColumns}`

/** The columns of sorts that have other names. */
const sortColumns: { readonly [Sort in RecipientSort]?: string } = {
  display_name: "display_name_folded",
  email: "email_normalized",
}

const narrowed = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  id: BlastId,
  { domain, link, reason }: RecipientQuery,
) =>
  sql.and([
    sql`true`,
    ...(domain === null ? [] : [sql`coalesce(split_part(d.email_normalized, '@', -1), 'unknown') = ${domain}`]),
    ...(reason === null ? [] : [sql`d.reason = ${reason}`]),
    ...(link === null
      ? []
      : [
          sql`d.delivery_id in (select k.delivery_id from delivery_click k where k.workspace_id = ${workspace}
            and k.blast_id = ${id} and k.link_index = ${link} and k.clicks > 0)`,
        ]),
  ])

export const recipients = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  id: BlastId,
  query: RecipientQuery,
) {
  const named =
    query.search === "" ? sql.literal("") : sql` and strpos(d.display_name_folded, ${fold(query.search)}) > 0`
  const chosen = sql`d.workspace_id = ${workspace} and d.blast_id = ${id} and ${sql.literal(categories[query.category])}${named}
    and ${narrowed(sql, workspace, id, query)}`
  const [counted] = yield* sql<{ readonly total: number }>`
    select (select count(*)::int from delivery d where ${chosen}) as total
    from blast b where b.workspace_id = ${workspace} and b.blast_id = ${id} and b.purpose = 'blast'`
  if (counted === undefined) return yield* new NotFound({ resource: "email blast" })
  const rows = yield* sql<RecipientRow>`
    select ${sql.literal(recipientColumns)}
    from delivery d
    where ${chosen}
    order by d.${sql.literal(`${sortColumns[query.sort] ?? query.sort} ${query.order}`)} nulls last, d.delivery_id
    limit ${query.limit} offset ${(query.page - 1) * query.limit}`
  return { items: rows.map(toRecipient), total: counted.total } satisfies Paged<BlastRecipient>
})
