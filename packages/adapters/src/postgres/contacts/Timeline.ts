// Timelines on PostgreSQL: rows of `activity`, and times of `delivery`. Whatever reads activities reads them through this file.
import type { PgClient } from "@effect/sql-pg"
import { type ActivityType, type DeliveryActivityType, isDeliveryActivity } from "@tentpole/core/contacts/Activity"
import type { RecordedActivity } from "@tentpole/core/contacts/ContactStore"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { PageRequest } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"

type Sql = PgClient.PgClient

/** The column of `delivery`, and the digit by which the id of the activity differs from the delivery's: sent before delivered. */
const times: { readonly [Type in DeliveryActivityType]: readonly [column: string, variant: string] } = {
  email_sent: ["sent_at", "8"],
  email_delivered: ["delivered_at", "9"],
}

/** The activities of one type, of any contact: a relation `(contact_id, at)` that reads only the table that has the type. */
export const activitiesOfType = (sql: Sql, workspace: WorkspaceId, type: ActivityType): Statement.Fragment => {
  if (!isDeliveryActivity(type)) {
    return sql`(select contact_id, at from activity where workspace_id = ${workspace} and type = ${type})`
  }
  const column = sql.literal(times[type][0])
  return sql`(select contact_id, ${column} as at from delivery
    where workspace_id = ${workspace} and not contact_deleted and contact_id is not null and ${column} is not null)`
}

/** The metadata of an activity of the message `d`. */
export const deliveryMetadata = `(case
  when d.message is not null then jsonb_build_object('message_id', d.delivery_id) || d.message
  when d.membership_id is null then jsonb_build_object('blast_id', d.blast_id, 'recipient_id', d.delivery_id)
  else jsonb_build_object('flow_id', d.flow_id, 'membership_id', d.membership_id, 'step_id', d.step_id,
    'recipient_id', d.delivery_id)
end || case when d.topic_id is null then '{}' else jsonb_build_object('topic_id', d.topic_id) end)`

const deliveryTimes = Object.entries(times)
  .map(([type, [column, variant]]) => `('${type}', d.${column}, '${variant}')`)
  .join(", ")

/** A page of a contact's timeline. Each table returns only what the page may contain. */
export const timelineOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: ContactId,
  { page, limit, order }: PageRequest & { readonly order: "asc" | "desc" },
) {
  const stored = sql`a.workspace_id = ${workspace} and a.contact_id = ${id}`
  const messages = sql`d.workspace_id = ${workspace} and d.contact_id = ${id} and not d.contact_deleted`
  const [all] = yield* sql<{ total: number }>`
    select (select count(*)::int from activity a where ${stored})
      + (select coalesce(sum(num_nonnulls(d.sent_at, d.delivered_at)), 0)::int from delivery d where ${messages}) as total
    from contact c where c.workspace_id = ${workspace} and c.contact_id = ${id}`
  if (all === undefined) return yield* new NotFound({ resource: "contact" })
  const direction = sql.literal(order)
  const first = sql`order by at ${direction}, id ${direction} limit ${page * limit}`
  const rows = yield* sql<Omit<RecordedActivity, "at"> & { readonly at: Date }>`
    select id, ${id}::uuid as "contactId", type, at, metadata from (
      (select a.activity_id as id, a.type, a.at, a.metadata, true as stored from activity a where ${stored} ${first})
      union all
      (select overlay(d.delivery_id::text placing t.variant from 20)::uuid as id, t.type, t.at,
          ${sql.literal(deliveryMetadata)} as metadata, false as stored
        from delivery d cross join lateral (values ${sql.literal(deliveryTimes)}) as t (type, at, variant)
        where ${messages} and t.at is not null ${first})
    ) as entries
    order by at ${direction}, stored ${direction}, id ${direction}
    limit ${limit} offset ${(page - 1) * limit}`
  return { items: rows.map((row) => ({ ...row, at: DateTime.makeUnsafe(row.at) })), total: all.total }
})
