// `EndpointStore` on PostgreSQL: endpoints, and the consumer of the outbox that a workspace with endpoints has.
import type { PgClient } from "@effect/sql-pg"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type EndpointHealth, newHealth } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import { webhook_consumer } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { EndedHour } from "@tentpole/core/webhooks/endpoints/EndedHours"
import type { EndpointChange } from "@tentpole/core/webhooks/endpoints/EndpointChange"
import { EndpointStore } from "@tentpole/core/webhooks/endpoints/EndpointStore"
import type { WebhookEndpoint } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { sliced } from "@tentpole/core/kernel/Page"
import { DateTime, Effect } from "effect"
import { lockName } from "../kernel/AdvisoryLocks.ts"
import { hintDueAt, makeDue } from "../kernel/DueWork.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { subscribe, unsubscribe } from "../kernel/Outbox.ts"
import { newestRows } from "../kernel/Slices.ts"
import { storeLayer } from "../StoreLayer.ts"
import {
  columnsOf,
  endpointColumns,
  type EndpointRow,
  endpointsWithStats,
  type EndpointWithStatsRow,
  statsColumns,
  toEndpoint,
  toEndpointWithStats,
} from "./EndpointRows.ts"

type Sql = PgClient.PgClient

const required = requireRow("webhook endpoint")

/** Until the transaction ends, no other adds an endpoint or removes the last one. */
const lockEndpoints = (sql: Sql, workspace: WorkspaceId) => lockName(sql, "webhook_endpoints", workspace)

const count = (sql: Sql, workspace: WorkspaceId) =>
  Effect.map(
    sql<{ readonly count: number }>`
      select count(*)::int as count from webhook_endpoint where workspace_id = ${workspace}`,
    ([row]) => row?.count ?? 0,
  )

const healthOf = ({ failuresInRow, healthyAt, inFlight_max }: EndpointHealth) => ({
  failures_in_row: failuresInRow,
  healthy_at: iso(healthyAt),
  in_flight_max: inFlight_max,
})

/** From the commit on, the workspace has events, and the endpoint reads those of later transactions. */
const create = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, after: WebhookEndpoint) {
  yield* lockEndpoints(sql, workspace)
  const ids = { workspace_id: workspace, endpoint_id: after.id }
  yield* sql`insert into webhook_endpoint ${sql.insert({ ...ids, ...columnsOf(sql, after) })}`
  const health = newHealth(after.createdAt, after.settings.inFlight_max)
  yield* sql`insert into webhook_reader ${sql.insert({ ...ids, ...healthOf(health) })}`
  // Before a worker takes it, an erasure locks it.
  yield* sql`
    insert into webhook_lease (workspace_id, token, until) values (${workspace}, 0, '-infinity') on conflict do nothing`
  yield* subscribe(
    workspace,
    webhook_consumer,
    (last) => sql`
      update webhook_reader set position = ${last}::bigint where workspace_id = ${workspace} and endpoint_id = ${after.id}`,
  )
  yield* makeDue(sql, "webhooks", workspace)
})

const update = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  {
    before,
    after,
    skipsMissed,
  }: { readonly before: WebhookEndpoint; readonly after: WebhookEndpoint; readonly skipsMissed: boolean },
) {
  const { id } = after
  yield* sql`
    update webhook_endpoint set ${sql.update(columnsOf(sql, after), ["created_at"])}
    where workspace_id = ${workspace} and endpoint_id = ${id}`
  if (after.status === "disabled") return
  if (before.status === "disabled") {
    const health = healthOf(newHealth(after.updatedAt, after.settings.inFlight_max))
    yield* sql`update webhook_reader set ${sql.update(health)} where workspace_id = ${workspace} and endpoint_id = ${id}`
  }
  if (skipsMissed) yield* leaveMissed(sql, workspace, id)
  yield* hintDueAt(sql, "webhooks", workspace, yield* DateTime.now)
})

/** A fan-out that has begun ends before: it holds the lock of the reader. Events that commit later have greater positions. */
const leaveMissed = (sql: Sql, workspace: WorkspaceId, id: WebhookEndpointId) => sql`
  with moved as (
    update webhook_reader r set position = greatest(r.position, s.position)
    from outbox_stream s
    where r.workspace_id = ${workspace} and r.endpoint_id = ${id} and s.workspace_id = ${workspace}
    returning r.position
  )
  update webhook_endpoint e set skips_through = moved.position from moved
  where e.workspace_id = ${workspace} and e.endpoint_id = ${id}`

/** The caller has locked the endpoint. */
const skipMissed = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: WebhookEndpointId,
  limit: number,
) {
  const skipped = yield* sql`
    with missed as materialized (
      select d.delivery_id from webhook_delivery d
      where d.workspace_id = ${workspace} and d.endpoint_id = ${id} and d.status = 'pending' and not d.is_test
        and d.positions[1] <= (
          select e.skips_through from webhook_endpoint e where e.workspace_id = ${workspace} and e.endpoint_id = ${id})
      order by d.positions[1] nulls first, d.delivery_id limit ${limit} for update
    )
    update webhook_delivery d set status = 'skipped', reason = 'disabled', next_attempt_at = null, claim = null
    where d.workspace_id = ${workspace} and d.endpoint_id = ${id} and d.delivery_id = any(array(select delivery_id from missed))
      and d.delivery_id >= (select delivery_id from missed order by delivery_id limit 1)
      and d.delivery_id <= (select delivery_id from missed order by delivery_id desc limit 1)
    returning 1`
  if (skipped.length === limit) return true
  yield* sql`
    update webhook_endpoint set skips_through = null
    where workspace_id = ${workspace} and endpoint_id = ${id} and skips_through is not null`
  yield* hintDueAt(sql, "webhooks", workspace, yield* DateTime.now)
  return false
})

/** The reader first: after that no fan-out adds deliveries. */
const remove = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { id }: WebhookEndpoint) {
  yield* lockEndpoints(sql, workspace)
  for (const table of ["webhook_reader", "webhook_endpoint"]) {
    yield* sql`delete from ${sql(table)} where workspace_id = ${workspace} and endpoint_id = ${id}`
  }
  if ((yield* count(sql, workspace)) > 0) return
  yield* unsubscribe(sql, workspace, webhook_consumer)
  yield* sql`delete from due_work where kind = 'webhooks' and workspace_id = ${workspace}`
})

/** Deliveries last: the log has one as long as there is something of it. */
const rowTables = [
  ["webhook_payload", "delivery_id"],
  ["webhook_attempt", "delivery_id"],
  ["webhook_hour", "hour"],
  ["webhook_delivery", "delivery_id"],
] as const

const deleteRows = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: WebhookEndpointId,
  limit: number,
) {
  for (const [table, key] of rowTables) {
    const deleted = yield* sql`
      with slice as materialized (
        select ${sql(key)} as key from ${sql(table)} where workspace_id = ${workspace} and endpoint_id = ${id}
        order by ${sql(key)} limit ${limit}
      )
      delete from ${sql(table)} t
      where t.workspace_id = ${workspace} and t.endpoint_id = ${id} and t.${sql(key)} <= (
        select key from slice order by key desc limit 1)
      returning 1`
    if (deleted.length >= limit) return true
  }
  return false
})

const apply = Effect.fnUntraced(function* (
  sql: Sql,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  change: EndpointChange,
) {
  const { after, before, skipsMissed } = change
  if (before === null && after !== null) yield* create(sql, workspace, after)
  if (before !== null && after !== null) yield* update(sql, workspace, { before, after, skipsMissed })
  if (before !== null && after === null) yield* remove(sql, workspace, before)
  yield* writer.writeEffects(workspace, [change])
})

export const layer = storeLayer(EndpointStore, ({ quick, sql, write, writer }) => ({
  list: (workspace, query) =>
    quick
      .read(workspace, (client) =>
        newestRows<EndpointWithStatsRow>(client, query, {
          columns: statsColumns,
          from: endpointsWithStats(client, workspace),
          where: client`e.workspace_id = ${workspace}`,
          at: "e.created_at",
          id: "e.endpoint_id",
        }),
      )
      .pipe(
        Effect.map((rows) =>
          sliced(rows.map(toEndpointWithStats), query.limit, ({ endpoint }) => ({
            at: endpoint.createdAt.epochMilliseconds,
            id: endpoint.id,
          })),
        ),
      ),
  get: (workspace, id) =>
    quick
      .read(
        workspace,
        (client) => client<EndpointWithStatsRow>`
          select ${client.literal(statsColumns)} from ${endpointsWithStats(client, workspace)}
          where e.workspace_id = ${workspace} and e.endpoint_id = ${id}`,
      )
      .pipe(Effect.flatMap(required), Effect.map(toEndpointWithStats)),
  hoursSince: (workspace, id, since) =>
    quick
      .read(
        workspace,
        (client) => client<RowOf<EndedHour>>`
          select h.hour as at, h.delivered as delivered_count, h.failed as failed_count from webhook_hour h
          where h.workspace_id = ${workspace} and h.endpoint_id = ${id} and h.hour >= ${iso(since)}
          order by h.hour`,
      )
      .pipe(Effect.map((rows) => rows.map((row) => fromRow<EndedHour>(row)))),
  lock: (workspace, id) =>
    write(
      workspace,
      sql<EndpointRow>`
        select ${sql.literal(endpointColumns)} from webhook_endpoint e
        where e.workspace_id = ${workspace} and e.endpoint_id = ${id} for no key update`,
    ).pipe(Effect.flatMap(required), Effect.map(toEndpoint)),
  lockCount: (workspace) => write(workspace, Effect.andThen(lockEndpoints(sql, workspace), count(sql, workspace))),
  apply: (workspace, change) => write(workspace, apply(sql, writer, workspace, change)),
  skipMissed: (workspace, id, limit) => write(workspace, skipMissed(sql, workspace, id, limit)),
  deleteRows: (workspace, id, limit) => write(workspace, deleteRows(sql, workspace, id, limit)),
}))
