// `DeliveryLog` on PostgreSQL: deliveries of an endpoint in the order of their ids, with attempts and events, and replays.
import type { PgClient } from "@effect/sql-pg"
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced } from "@tentpole/core/kernel/Page"
import {
  DeliveryLog,
  type DeliveryLogQuery,
  type DeliveryPiece,
  type LoggedAttempt,
  type LoggedDelivery,
  type MissedSelection,
  type ReplaySelection,
} from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import {
  deliveryStatuses,
  type WebhookDelivery,
  type WebhookDeliveryState,
  type WebhookDeliveryStatus,
} from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import type { FannedOut } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { Array, DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { hintDueAt } from "../kernel/DueWork.ts"
import { fromRow, iso, requireRow } from "../kernel/Instants.ts"
import { storeLayer } from "../StoreLayer.ts"
import {
  attemptColumns,
  type AttemptRow,
  deliveryColumns,
  type DeliveryRow,
  idAt,
  insertions,
  pieces,
  skew_ms,
  stateUpdate,
  type WithPieces,
} from "./DeliveryRows.ts"
import { eventColumns, type EventRow, toEvent } from "./EventStore.ts"

type Sql = PgClient.PgClient

/** Deliveries `d` that were created from a time on, and before another one. */
const between = (sql: Sql, { since, until }: Pick<DeliveryLogQuery, "since" | "until">) => sql`
  (${iso(since)}::timestamptz is null or d.created_at >= ${iso(since)}::timestamptz)
  and (${iso(until)}::timestamptz is null or d.created_at < ${iso(until)}::timestamptz)
  and d.delivery_id >= ${since === null ? idAt(DateTime.makeUnsafe(0), 0) : idAt(since, -skew_ms)}::uuid
  and d.delivery_id <= ${until === null ? "ffffffff-ffff-ffff-ffff-ffffffffffff" : idAt(until, skew_ms)}::uuid`

/** As literals: an index has the failed ones. */
const hasStatus = (sql: Sql, statuses: ReadonlyArray<WebhookDeliveryStatus>) => {
  const found = deliveryStatuses.filter((each) => statuses.includes(each)).map((each) => `'${each}'`)
  return sql.literal(found.length === 0 ? "false" : `d.status in (${found.join(", ")})`)
}

const list = (
  sql: Sql,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  { after, eventType, limit, status, ...times }: DeliveryLogQuery,
) => sql<DeliveryRow>`
  select ${sql.literal(deliveryColumns)} from webhook_delivery d
  where d.workspace_id = ${workspace} and d.endpoint_id = ${endpoint}
    and ${hasStatus(sql, status === null ? deliveryStatuses : [status])} and ${between(sql, times)}
    and (${eventType}::text is null or d.event_type = ${eventType})
    and (${after?.id ?? null}::uuid is null or d.delivery_id < ${after?.id ?? null}::uuid)
  order by d.delivery_id desc limit ${limit + 1}`

const one = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  id: WebhookDeliveryId,
  isLocked: boolean,
) {
  const { pieces: of, ...row } = yield* Effect.flatMap(
    sql<DeliveryRow & WithPieces>`
      select ${sql.literal(deliveryColumns)}, ${pieces(sql, workspace)} from webhook_delivery d
      where d.workspace_id = ${workspace} and d.endpoint_id = ${endpoint} and d.delivery_id = ${id}
        and exists (select from webhook_endpoint e where e.workspace_id = ${workspace} and e.endpoint_id = ${endpoint})
      ${sql.literal(isLocked ? "for update" : "")}`,
    requireRow("webhook delivery"),
  )
  const attempts = yield* sql<AttemptRow>`
    select ${sql.literal(attemptColumns)} from webhook_attempt a
    where a.workspace_id = ${workspace} and a.endpoint_id = ${endpoint} and a.delivery_id = ${id}
    order by a.attempt`
  return {
    delivery: fromRow<WebhookDelivery>(row),
    attempts: attempts.map(fromRow<LoggedAttempt>),
    pieces: of,
  } satisfies LoggedDelivery
})

const hint = (sql: Sql, workspace: WorkspaceId, states: ReadonlyArray<WebhookDeliveryState>) => {
  const times = states.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])
  return Array.isReadonlyArrayNonEmpty(times)
    ? hintDueAt(sql, "webhooks", workspace, Array.min(times, DateTime.Order))
    : Effect.void
}

const add = (sql: Sql, workspace: WorkspaceId, delivery: WebhookDelivery, of: ReadonlyArray<DeliveryPiece>) => {
  const added = { delivery, pieces: of.map((piece) => ({ ...piece, contactId: null })) }
  return Effect.andThen(
    sql`
      with ${insertions(sql, workspace, [added], { isDelivery: sql`true`, isEvent: sql`true` })}
      select count(*) from added`,
    hint(sql, workspace, [delivery]),
  )
}

/** The endpoints are few, and the key begins with them. */
const write = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: WebhookDeliveryId,
  state: WebhookDeliveryState,
) {
  const [found] = yield* sql<{ readonly endpointId: WebhookEndpointId }>`
    select d.endpoint_id as "endpointId" from webhook_endpoint e
    join webhook_delivery d on d.workspace_id = ${workspace} and d.endpoint_id = e.endpoint_id and d.delivery_id = ${id}
    where e.workspace_id = ${workspace}`
  if (found === undefined) return
  yield* sql`with ${stateUpdate(sql, workspace, [{ ...found, id, state }])} select count(*) from written`
  yield* hint(sql, workspace, [state])
})

const selected = (
  sql: Sql,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  { eventTypes, statuses, ...times }: ReplaySelection,
) => sql`d.workspace_id = ${workspace} and d.endpoint_id = ${endpoint} and ${hasStatus(sql, statuses)}
  and (${eventTypes === null} or d.event_type = any(${texts(eventTypes ?? [])}::text[])) and ${between(sql, times)}
  and exists (
    select from webhook_payload p
    where p.workspace_id = ${workspace} and p.endpoint_id = ${endpoint} and p.delivery_id = d.delivery_id)`

const replay = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  selection: ReplaySelection,
  { after, limit, replayed }: Parameters<DeliveryLog["Service"]["replay"]>[3],
) {
  const rows = yield* sql<DeliveryRow>`
    select ${sql.literal(deliveryColumns)} from webhook_delivery d
    where ${selected(sql, workspace, endpoint, selection)}
      and (${after}::uuid is null or d.delivery_id > ${after}::uuid)
    order by d.delivery_id limit ${limit} for update of d`
  const changed = rows.flatMap((row) => {
    const state = replayed(fromRow<WebhookDelivery>(row))
    return state === null ? [] : [{ endpointId: endpoint, id: row.id, state }]
  })
  if (changed.length > 0) {
    yield* sql`with ${stateUpdate(sql, workspace, changed)} select count(*) from written`
    yield* hint(
      sql,
      workspace,
      changed.map(({ state }) => state),
    )
  }
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null)
})

/**
 * The events of a delivery are compared within the range of the slice. Deliveries from before the beginning are of other events. A
 * slice without missed events has one row, with the last event.
 */
const missed = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  { since, types, until }: MissedSelection,
  { after, limit }: { readonly after: string; readonly limit: number },
) {
  const rows = yield* sql<EventRow & { readonly read_count: number; readonly last: string | null }>`
    with slice as materialized (
      select o.position, o.type, o.contact_id, o.at, o.data from outbox_event o
      where o.workspace_id = ${workspace} and o.position > ${after}::bigint and o.type = any(${texts(types)}::text[])
        and o.at >= ${iso(since)}::timestamptz and o.at < ${iso(until)}::timestamptz
        and o.position <= (
          select r.position from webhook_reader r where r.workspace_id = ${workspace} and r.endpoint_id = ${endpoint})
      order by o.position limit ${limit}
    )
    select s.read_count, s.last::text as last, ${sql.literal(eventColumns)}
    from (select count(*)::int as read_count, max(position) as last from slice) s
    left join slice e on e.position not in (
      select p.position from webhook_payload p
      where p.workspace_id = ${workspace} and p.endpoint_id = ${endpoint} and p.delivery_id >= ${idAt(since, -skew_ms)}::uuid
        and p.position between (select min(position) from slice) and (select max(position) from slice))
    left join contact c on c.workspace_id = ${workspace} and c.contact_id = e.contact_id
    order by e.position`
  const [first] = rows
  return {
    events: rows.filter(({ position }) => position !== null).map(toEvent),
    last: first?.read_count === limit ? first.last : null,
  }
})

/** Events are compared with the outbox after the lease is locked, as fan-out does. */
const addMissed = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, deliveries: ReadonlyArray<FannedOut>) {
  yield* sql`select from webhook_lease where workspace_id = ${workspace} for share`
  const positions = deliveries.flatMap(({ delivery }) => delivery.positions)
  yield* sql`
    with event as materialized (
      select o.position from outbox_event o
      where o.workspace_id = ${workspace} and o.position = any(${texts(positions)}::text[]::bigint[])
    ),
    ${insertions(sql, workspace, deliveries, {
      isDelivery: sql`g.delivery_id in (select delivery_id from piece)`,
      isEvent: sql`g.position in (select position from event)`,
    })}
    select count(*) from added`
  yield* hint(
    sql,
    workspace,
    deliveries.map(({ delivery }) => delivery),
  )
})

export const layer = storeLayer(DeliveryLog, ({ quick, sql, write: within }) => ({
  list: (workspace, endpoint, query) =>
    quick
      .read(workspace, (client) => list(client, workspace, endpoint, query))
      .pipe(
        Effect.map((rows) =>
          sliced(rows.map(fromRow<WebhookDelivery>), query.limit, ({ createdAt, id }) => ({
            at: createdAt.epochMilliseconds,
            id,
          })),
        ),
      ),
  get: (workspace, endpoint, id) => quick.read(workspace, (client) => one(client, workspace, endpoint, id, false)),
  lock: (workspace, endpoint, id) => within(workspace, one(sql, workspace, endpoint, id, true)),
  add: (workspace, delivery, of) => within(workspace, add(sql, workspace, delivery, of)),
  write: (workspace, id, state) => within(workspace, write(sql, workspace, id, state)),
  count: (workspace, endpoint, selection, limit) =>
    quick
      .read(
        workspace,
        (client) => client<{ readonly count: number }>`
          select count(*)::int as count from (
            select from webhook_delivery d where ${selected(client, workspace, endpoint, selection)} limit ${limit}) as matched`,
      )
      .pipe(Effect.map(([row]) => row?.count ?? 0)),
  replay: (workspace, endpoint, selection, slice) =>
    within(workspace, replay(sql, workspace, endpoint, selection, slice)),
  missed: (workspace, endpoint, selection, slice) =>
    quick.read(workspace, (client) => missed(client, workspace, endpoint, selection, slice)),
  addMissed: (workspace, deliveries) => within(workspace, addMissed(sql, workspace, deliveries)),
}))
