// `WebhookQueue` on PostgreSQL. Each write of a worker locks the lease of the workspace and compares its token, in the same statement:
// after another worker has the lease, it changes nothing. The number of statements does not depend on the number of rows.
import type { PgClient } from "@effect/sql-pg"
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { WebhookDelivery } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import {
  type ClaimedDelivery,
  type FannedOut,
  type ServedHealth,
  type SettledDelivery,
  type WebhookLease,
  WebhookQueue,
} from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { type DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { ints, texts } from "../kernel/Arrays.ts"
import { endTurn, takeTurns } from "../kernel/DueWork.ts"
import { fromRow, instant, iso } from "../kernel/Instants.ts"
import { orDefect, transactionTime } from "../kernel/Postgres.ts"
import { storeLayer } from "../StoreLayer.ts"
import {
  attemptInsertions,
  deliveryColumns,
  deliveryColumnsOf,
  type DeliveryRow,
  insertions,
  pieces,
  stateUpdate,
  type WithPieces,
} from "./DeliveryRows.ts"
import { servedColumns, type ServedRow, toServed } from "./EndpointRows.ts"
import { eventsAfter } from "./EventStore.ts"

type Sql = PgClient.PgClient

/** Shared: statements of one worker do not wait for each other, and another worker that takes the lease waits for them. */
const held = (sql: Sql, { token, workspace }: WebhookLease) => sql`
  held as materialized (
    select l.token from webhook_lease l where l.workspace_id = ${workspace} and l.token = ${token}::bigint for share)`

const isDue = (sql: Sql, workspace: WorkspaceId) => sql`
  (e.status = 'enabled' or exists (
    select from webhook_delivery t
    where t.workspace_id = ${workspace} and t.endpoint_id = e.endpoint_id and t.status = 'pending' and t.is_test))`

const endpoints = (sql: Sql, workspace: WorkspaceId) =>
  Effect.map(
    sql<ServedRow>`
      select ${sql.literal(servedColumns)} from webhook_endpoint e
      join webhook_reader r on r.workspace_id = ${workspace} and r.endpoint_id = e.endpoint_id
      where e.workspace_id = ${workspace} and ${isDue(sql, workspace)}
      order by e.endpoint_id`,
    (rows) => rows.map(toServed),
  )

/** Each case has its own index. Claims that a worker has left count too: the next lease frees them. */
const nextDue = (sql: Sql, workspace: WorkspaceId) => {
  const first = (when: Statement.Fragment, which: Statement.Fragment, order: Statement.Fragment) => sql`
    select e.endpoint_id as id, n.next_attempt_at as at from webhook_endpoint e
    cross join lateral (
      select d.next_attempt_at from webhook_delivery d
      where d.workspace_id = ${workspace} and d.endpoint_id = e.endpoint_id and d.status = 'pending' and ${which}
      order by ${order} limit 1) as n
    where e.workspace_id = ${workspace} and ${when}`
  const isSent = sql`e.status = 'enabled' and e.skips_through is null`
  return Effect.map(
    sql<{ readonly id: WebhookEndpointId; readonly at: Date }>`
      ${first(sql`${isSent} and e.mode = 'parallel'`, sql`true`, sql`d.next_attempt_at, d.delivery_id`)}
      union all
      ${first(sql`${isSent} and e.mode = 'ordered'`, sql`true`, orderOf(sql))}
      union all
      ${first(sql`not (${isSent})`, sql`d.is_test`, sql`d.next_attempt_at`)}`,
    (rows) =>
      new Map(
        rows.flatMap(({ at, id }): ReadonlyArray<readonly [WebhookEndpointId, DateTime.Utc]> => {
          const due = instant(at)
          return due === null ? [] : [[id, due]]
        }),
      ),
  )
}

/** A test is before all events. */
const orderOf = (sql: Sql) => sql`d.positions[1] nulls first, d.delivery_id`

/** The upsert waits for writes of the worker before, and the next statement sees them. */
const acquire = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  lease_ms: number,
  expired: (delivery: WebhookDelivery) => SettledDelivery,
) {
  const now = yield* transactionTime(sql)
  const [lease] = yield* sql<{ readonly token: string }>`
    insert into webhook_lease as l (workspace_id, token, until)
    values (${workspace}, 1, ${now} + make_interval(secs => ${lease_ms / 1000}))
    on conflict (workspace_id) do update set token = l.token + 1, until = excluded.until where l.until <= ${now}
    returning token::text`
  if (lease === undefined) return null
  const left = yield* sql<DeliveryRow>`
    select ${sql.literal(deliveryColumns)} from webhook_delivery d
    where d.workspace_id = ${workspace} and d.claim is not null
    order by d.endpoint_id, d.delivery_id for update`
  if (left.length > 0) {
    const settled = left.map((row) => expired(fromRow<WebhookDelivery>(row)))
    yield* sql`
      with ${stateUpdate(sql, workspace, settled)}, ${attemptInsertions(sql, workspace, settled, now)}
      select count(*) from written`
  }
  return { workspace, token: lease.token } satisfies WebhookLease
})

const renew = Effect.fnUntraced(function* (sql: Sql, { token, workspace }: WebhookLease, lease_ms: number) {
  const now = yield* transactionTime(sql)
  const rows = yield* sql`
    update webhook_lease set until = ${now} + make_interval(secs => ${lease_ms / 1000})
    where workspace_id = ${workspace} and token = ${token}::bigint returning 1`
  return rows.length > 0
})

const release = (sql: Sql, { token, workspace }: WebhookLease) =>
  Effect.asVoid(sql`
    update webhook_lease set until = '-infinity' where workspace_id = ${workspace} and token = ${token}::bigint`)

/**
 * A pair of endpoint and event is unique: the positions of readers are locked, compared and moved in the statement that adds. It
 * begins after the lease is locked, so that it does not find events whose contact was erased meanwhile.
 */
const fanOut = Effect.fnUntraced(function* (
  sql: Sql,
  lease: WebhookLease,
  { claimed, deliveries, positions }: Parameters<WebhookQueue["Service"]["fanOut"]>[1],
) {
  const { token, workspace } = lease
  const [isHeld] = yield* sql`with ${held(sql, lease)} select token from held`
  if (isHeld === undefined) return null
  const [first, last] = rangeOf(deliveries)
  const isDelivery = sql`exists (
      select from reader where reader.endpoint_id = g.endpoint_id and reader.position < (g.positions::bigint[])[1])
    and g.delivery_id in (select delivery_id from piece)`
  const claim = sql`case when g.endpoint_id in (select endpoint_id from skipping) then null else ${token}::bigint end`
  const ours = yield* sql<{ readonly id: WebhookDeliveryId }>`
    with reader as materialized (
      select r.endpoint_id, r.position from webhook_reader r
      where r.workspace_id = ${workspace} and r.endpoint_id = any(${texts([...positions.keys()])}::uuid[])
      order by r.endpoint_id for update
    ),
    moved as (
      update webhook_reader r set position = g.position
      from unnest(${texts([...positions.keys()])}::uuid[], ${texts([...positions.values()])}::text[]::bigint[])
        as g (endpoint_id, position)
      join reader on reader.endpoint_id = g.endpoint_id and reader.position < g.position
      where r.workspace_id = ${workspace} and r.endpoint_id = g.endpoint_id
    ),
    skipping as materialized (
      select e.endpoint_id from webhook_endpoint e where e.workspace_id = ${workspace} and e.skips_through is not null
    ),
    event as materialized (
      select o.position from outbox_event o
      where o.workspace_id = ${workspace} and o.position between ${first}::bigint and ${last}::bigint
    ),
    ${insertions(sql, workspace, deliveries, {
      claim,
      ...(claimed === undefined ? {} : { claimed }),
      isDelivery,
      isEvent: sql`g.position in (select position from event)`,
    })}
    select delivery_id as id from added where claim is not null`
  return new Set(ours.map(({ id }) => id))
})

/** The first and the last event of deliveries. Without events, none is between. */
const rangeOf = (deliveries: ReadonlyArray<FannedOut>): readonly [string, string] => {
  const all = deliveries.flatMap(({ delivery: { positions } }) => [positions.at(0) ?? "0", positions.at(-1) ?? "0"])
  const inOrder = all.map(BigInt).toSorted((left, right) => (left < right ? -1 : 1))
  return [String(inOrder.at(0) ?? 1), String(inOrder.at(-1) ?? 0)]
}

/**
 * The keys are an array, not a join: a plan from when the table was empty would compare each delivery of the endpoint with them.
 * In order, a locked delivery is waited for, so that no later one overtakes it; otherwise it is left to the next claim. The
 * first one in order that is not due ends the claim.
 */
const claim = Effect.fnUntraced(function* (
  sql: Sql,
  lease: WebhookLease,
  endpoint: WebhookEndpointId,
  { limit, ordered, testsOnly }: { readonly limit: number; readonly ordered: boolean; readonly testsOnly: boolean },
) {
  const { token, workspace } = lease
  const now = yield* transactionTime(sql)
  const free = sql`d.workspace_id = ${workspace} and d.endpoint_id = ${endpoint} and d.status = 'pending' and d.claim is null
    and exists (select from held) and ${sql.literal(testsOnly ? "d.is_test" : "true")}
    and exists (select from webhook_endpoint e where e.workspace_id = ${workspace} and e.endpoint_id = ${endpoint})
    and (d.is_test or not exists (
      select from webhook_endpoint e
      where e.workspace_id = ${workspace} and e.endpoint_id = ${endpoint} and e.skips_through is not null))`
  const due = ordered
    ? sql`
      first as materialized (
        select d.delivery_id, d.positions[1] as position, d.next_attempt_at from webhook_delivery d where ${free}
        order by ${orderOf(sql)} limit ${limit} for update
      ),
      due as materialized (
        select f.delivery_id from (
          select delivery_id, bool_and(next_attempt_at <= ${now}) over (
            order by position nulls first, delivery_id) as is_due
          from first) as f
        where f.is_due
      )`
    : sql`
      due as materialized (
        select d.delivery_id from webhook_delivery d where ${free} and d.next_attempt_at <= ${now}
        order by d.next_attempt_at, d.delivery_id limit ${limit} for update skip locked
      )`
  const rows = yield* sql<DeliveryRow & WithPieces>`
    with ${held(sql, lease)}, ${due},
    d as (
      update webhook_delivery c set claim = ${token}::bigint
      where c.workspace_id = ${workspace} and c.endpoint_id = ${endpoint} and c.delivery_id = any(array(select delivery_id from due))
      returning ${sql.literal(deliveryColumnsOf("c"))}
    )
    select ${sql.literal(deliveryColumns)}, ${pieces(sql, workspace)} from d
    order by ${ordered ? orderOf(sql) : sql`d.next_attempt_at, d.delivery_id`}`
  return rows.map(({ pieces: of, ...row }): ClaimedDelivery => ({
    delivery: fromRow<WebhookDelivery>(row),
    pieces: of,
  }))
})

/** A health from before the endpoint was enabled is not written. */
const healthUpdate = (sql: Sql, workspace: WorkspaceId, healths: ReadonlyArray<ServedHealth>) => {
  const all = healths.map(({ health }) => health)
  return sql`
    served as (
      update webhook_reader r set failures_in_row = g.failures_in_row, healthy_at = g.healthy_at,
        failed_at = coalesce(g.failed_at, r.failed_at), in_flight_max = g.in_flight_max,
        last_success_at = coalesce(g.last_success_at, r.last_success_at),
        last_error = coalesce(g.last_error, r.last_error)
      from held cross join unnest(${texts(healths.map(({ endpointId }) => endpointId))}::uuid[],
        ${ints(all.map(({ failuresInRow }) => failuresInRow))}::int[],
        ${texts(all.map(({ healthyAt }) => iso(healthyAt)))}::timestamptz[],
        ${texts(all.map(({ failedAt }) => iso(failedAt)))}::timestamptz[],
        ${ints(all.map(({ inFlight_max }) => inFlight_max))}::int[],
        ${texts(healths.map(({ lastSuccessAt }) => iso(lastSuccessAt)))}::timestamptz[],
        ${texts(healths.map(({ lastError }) => lastError))}::text[])
        as g (endpoint_id, failures_in_row, healthy_at, failed_at, in_flight_max, last_success_at, last_error)
      where r.workspace_id = ${workspace} and r.endpoint_id = g.endpoint_id and r.healthy_at <= g.healthy_at
    )`
}

/** `(claim = …) is true` uses no index: the one on claims has a dead entry for each delivery that was claimed since the last vacuum. */
const settle = Effect.fnUntraced(function* (
  sql: Sql,
  lease: WebhookLease,
  settled: ReadonlyArray<SettledDelivery>,
  healths: ReadonlyArray<ServedHealth>,
) {
  const { token, workspace } = lease
  const now = yield* transactionTime(sql)
  yield* sql`
    with ${held(sql, lease)}, ${healthUpdate(sql, workspace, healths)},
    ${stateUpdate(sql, workspace, settled, sql`(d.claim = ${token}::bigint) is true and exists (select from held)`)},
    ${attemptInsertions(sql, workspace, settled, now)}
    select count(*) from written`
})

export const layer = storeLayer(WebhookQueue, ({ quick, sql, write }) => {
  return {
    takeTurns: (options) =>
      Effect.andThen(
        Transaction,
        Effect.map(orDefect(takeTurns(sql, ["webhooks"], options)), (turns) =>
          turns.map(({ token, workspace }) => ({ token, workspace })),
        ),
      ),
    endTurn: (turn, due) =>
      write(turn.workspace, endTurn(sql, { kind: "webhooks", ...turn }, sql`${iso(due) ?? "infinity"}::timestamptz`)),
    nextDue: (workspace) => quick.read(workspace, (client) => nextDue(client, workspace)),
    acquire: (workspace, { expired, lease_ms }) => write(workspace, acquire(sql, workspace, lease_ms, expired)),
    renew: (lease, lease_ms) => write(lease.workspace, renew(sql, lease, lease_ms)),
    release: (lease) => write(lease.workspace, release(sql, lease)),
    endpoints: (workspace) => quick.read(workspace, (client) => endpoints(client, workspace)),
    eventsAfter: (workspace, position, limit) =>
      quick.read(workspace, (client) => eventsAfter(client, workspace, position, limit)),
    fanOut: (lease, written) => write(lease.workspace, fanOut(sql, lease, written)),
    claim: (lease, endpoint, options) => write(lease.workspace, claim(sql, lease, endpoint, options)),
    settle: (lease, { healths, settled }) => write(lease.workspace, settle(sql, lease, settled, healths)),
  }
})
