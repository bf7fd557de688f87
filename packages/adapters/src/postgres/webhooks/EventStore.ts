// `EventStore` on PostgreSQL: the events of the outbox, each with its contact.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import type { EventContact } from "@tentpole/core/webhooks/EventCatalogue"
import { type EventQuery, EventStore } from "@tentpole/core/webhooks/EventStore"
import type { EventWithContact } from "@tentpole/core/webhooks/PublicEvent"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

export interface EventRow extends RowOf<RecordedEvent> {
  readonly contact: EventContact | null
}

interface ListedRow {
  readonly last: string
  /** Null in the only row of an empty slice. */
  readonly position: string | null
}

const contact = `case when c.contact_id is not null then json_build_object('contact_id', c.contact_id, 'email', c.email,
  'phone', c.phone, 'display_name', c.display_name) end as contact`

/** Of an event `e` and its contact `c`. */
export const eventColumns = `e.position::text as position, e.type, e.contact_id as "contactId", e.at, e.data, ${contact}`

const position_max = "9223372036854775807"

/** One statement, so that the events and the last position are of one moment. */
const slice = (sql: Sql, workspace: WorkspaceId, { after, order, ...query }: EventQuery) => {
  const way = sql.literal(order)
  const rest =
    order === "asc" ? sql`o.position > ${after ?? "0"}::bigint` : sql`o.position < ${after ?? position_max}::bigint`
  return sql<ListedRow & EventRow>`
    select s.position::text as last, ${sql.literal(eventColumns)}
    from outbox_stream s
    left join (
      select o.position, o.type, o.contact_id, o.at, o.data from outbox_event o
      where o.workspace_id = ${workspace} and ${rest} and o.type = any(${texts(query.types)}::text[])
        and (${query.contactId}::uuid is null or o.contact_id = ${query.contactId}::uuid)
        and (${iso(query.since)}::timestamptz is null or o.at >= ${iso(query.since)}::timestamptz)
        and (${iso(query.until)}::timestamptz is null or o.at < ${iso(query.until)}::timestamptz)
      order by o.position ${way} limit ${query.limit}) e on true
    left join contact c on c.workspace_id = ${workspace} and c.contact_id = e.contact_id
    where s.workspace_id = ${workspace}
    order by e.position ${way}`
}

const one = (sql: Sql, workspace: WorkspaceId, position: string) => sql<EventRow>`
  select ${sql.literal(eventColumns)} from outbox_event e
  left join contact c on c.workspace_id = ${workspace} and c.contact_id = e.contact_id
  where e.workspace_id = ${workspace} and e.position = ${position}::bigint`

export const toEvent = ({ at, contact: of, contactId, data, position, type }: EventRow): EventWithContact => ({
  event: fromRow<RecordedEvent>({ at, contactId, data, position, type }),
  contact: of,
})

/** All events after a position, ascending. */
export const eventsAfter = (sql: Sql, workspace: WorkspaceId, position: string, limit: number) =>
  Effect.map(
    sql<EventRow>`
      select ${sql.literal(eventColumns)} from (
        select o.position, o.type, o.contact_id, o.at, o.data from outbox_event o
        where o.workspace_id = ${workspace} and o.position > ${position}::bigint
        order by o.position limit ${limit}) e
      left join contact c on c.workspace_id = ${workspace} and c.contact_id = e.contact_id
      order by e.position`,
    (rows) => rows.map(toEvent),
  )

export const layer = storeLayer(EventStore, ({ quick }) => ({
  list: (workspace, query) =>
    Effect.map(
      quick.read(workspace, (client) => slice(client, workspace, query)),
      (rows) => {
        const [first] = rows
        if (first === undefined) return null
        return { events: rows.filter(({ position }) => position !== null).map(toEvent), last: first.last }
      },
    ),
  get: (workspace, position) =>
    quick
      .read(workspace, (client) => one(client, workspace, position))
      .pipe(Effect.flatMap(requireRow("event")), Effect.map(toEvent)),
}))
