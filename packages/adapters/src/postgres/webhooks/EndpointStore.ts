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
import { raiseStatementTimeout } from "../kernel/Postgres.ts"
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
  if (skipsMissed) yield* skipMissed(sql, workspace, id)
  yield* hintDueAt(sql, "webhooks", workspace, yield* DateTime.now)
})

/** A fan-out that has begun ends before: it holds the lock of the reader. Events that commit later have greater positions. */
const skipMissed = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: WebhookEndpointId) {
  yield* sql`
    update webhook_reader r set position = greatest(r.position, s.position)
    from outbox_stream s
    where r.workspace_id = ${workspace} and r.endpoint_id = ${id} and s.workspace_id = ${workspace}`
  yield* raiseStatementTimeout(sql)
  yield* sql`
    update webhook_delivery set status = 'skipped', reason = 'disabled', next_attempt_at = null, claim = null
    where workspace_id = ${workspace} and endpoint_id = ${id} and status = 'pending' and not is_test`
})

/** The reader first: after that no fan-out adds deliveries. Rows of other tables have no references, which would cost a lookup each. */
const remove = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { id }: WebhookEndpoint) {
  yield* lockEndpoints(sql, workspace)
  yield* raiseStatementTimeout(sql)
  for (const table of [
    "webhook_reader",
    "webhook_payload",
    "webhook_attempt",
    "webhook_delivery",
    "webhook_hour",
    "webhook_endpoint",
  ]) {
    yield* sql`delete from ${sql(table)} where workspace_id = ${workspace} and endpoint_id = ${id}`
  }
  if ((yield* count(sql, workspace)) > 0) return
  yield* unsubscribe(sql, workspace, webhook_consumer)
  yield* sql`delete from due_work where kind = 'webhooks' and workspace_id = ${workspace}`
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
}))
