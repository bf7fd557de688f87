// Rows of webhook deliveries, of their events and of their attempts.
import type { PgClient } from "@effect/sql-pg"
import type { WebhookDeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DeliveryPiece, LoggedAttempt } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import type { WebhookDelivery, WebhookDeliveryState } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import type { FannedOut, SettledDelivery } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { DateTime } from "effect"
import type { Statement } from "effect/sql"
import { booleans, ints, texts } from "../kernel/Arrays.ts"
import { homeOf } from "../citus/Home.ts"
import { iso, type RowOf } from "../kernel/Instants.ts"

type Sql = PgClient.PgClient

/** Clocks of processes differ: the time in an id and the time of a creation are nearly the same. */
export const skew_ms = 3_600_000

/** An id of this time. It bounds the partitions that are read. */
export const idAt = (at: DateTime.Utc, by_ms: number): string => {
  const hex = Math.max(0, at.epochMilliseconds + by_ms)
    .toString(16)
    .padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

export type DeliveryRow = RowOf<WebhookDelivery>

/** Of a delivery `d`. */
export const deliveryColumns = `d.delivery_id as id, d.endpoint_id as "endpointId", d.webhook_id as "webhookId",
  d.positions::text[] as positions, d.event_type as "eventType", d.is_test as "isTest", d.status, d.reason,
  d.attempt_count as "attemptCount", d.failed_count as "failedCount", d.is_replay as "isReplay",
  d.next_attempt_at as "nextAttemptAt", d.delivered_at as "deliveredAt", d.created_at as "createdAt"`

export type AttemptRow = RowOf<LoggedAttempt>

/** Of an attempt `a`. */
export const attemptColumns = `a.attempt, a.at, a.duration_ms, a.status_code as "statusCode", a.error, a.snippet,
  a.is_replay as "isReplay"`

/** The events of a delivery `d`, ascending. */
export const pieces = (sql: Sql, workspace: WorkspaceId) => sql`(
  select coalesce(json_agg(json_build_object('position', p.position::text, 'json', p.json) order by p.position), '[]')
  from webhook_payload p
  where p.workspace_id = ${workspace} and p.endpoint_id = d.endpoint_id and p.delivery_id = d.delivery_id) as pieces`

export interface WithPieces {
  readonly pieces: ReadonlyArray<DeliveryPiece>
}

const stateArrays = (sql: Sql, states: ReadonlyArray<WebhookDeliveryState>) => sql`
  ${texts(states.map(({ status }) => status))}::text[], ${texts(states.map(({ reason }) => reason))}::text[],
  ${ints(states.map(({ attemptCount }) => attemptCount))}::int[], ${ints(states.map(({ failedCount }) => failedCount))}::int[],
  ${booleans(states.map(({ isReplay }) => isReplay))}::boolean[],
  ${texts(states.map(({ nextAttemptAt }) => iso(nextAttemptAt)))}::timestamptz[],
  ${texts(states.map(({ deliveredAt }) => iso(deliveredAt)))}::timestamptz[]`

/** The columns that `deliveryColumns` reads, of another table name. */
export const deliveryColumnsOf = (table: string): string =>
  `endpoint_id, delivery_id, webhook_id, event_type, positions, is_test, created_at, ${stateNames}`
    .split(", ")
    .map((name) => `${table}.${name}`)
    .join(", ")

const stateNames = "status, reason, attempt_count, failed_count, is_replay, next_attempt_at, delivered_at"

/**
 * New deliveries and their events: parts of a WITH. Only deliveries and events `g` of a condition are written. The one on deliveries may
 * read `piece`, which has the events. What is written is chosen in parts of its own: beside `homeOf`, which is one row, the planner would
 * compare each delivery with each event. `(x in (select …)) is true` is a hash table, whatever the planner thinks of their number.
 * `claim`: the token of those that are `claimed`, or null.
 */
export const insertions = (
  sql: Sql,
  workspace: WorkspaceId,
  added: ReadonlyArray<FannedOut>,
  {
    claim = sql`null::bigint`,
    claimed = new Set(),
    isDelivery,
    isEvent,
  }: {
    readonly claim?: Statement.Fragment
    readonly claimed?: ReadonlySet<WebhookDeliveryId>
    readonly isDelivery: Statement.Fragment
    readonly isEvent: Statement.Fragment
  },
) => {
  const all = added.map(({ delivery }) => delivery)
  const events = added.flatMap(({ delivery, pieces: of }) => of.map((piece) => ({ ...piece, delivery })))
  return sql`
    piece as materialized (
      select g.endpoint_id, g.delivery_id, g.position, g.contact_id, g.json
      from unnest(${texts(events.map(({ delivery }) => delivery.endpointId))}::uuid[],
        ${texts(events.map(({ delivery }) => delivery.id))}::uuid[],
        ${texts(events.map(({ position }) => position))}::text[]::bigint[],
        ${texts(events.map(({ contactId }) => contactId))}::uuid[], ${texts(events.map(({ json }) => json))}::text[])
        as g (endpoint_id, delivery_id, position, contact_id, json)
      where ${isEvent}
    ),
    wanted as materialized (
      select g.endpoint_id, g.delivery_id, g.webhook_id, g.event_type, g.positions, g.is_test, g.created_at,
        ${sql.literal(stateNames)}, case when g.is_claimed then ${claim} end as claim
      from unnest(${texts(all.map(({ endpointId }) => endpointId))}::uuid[],
        ${texts(all.map(({ id }) => id))}::uuid[],
        ${texts(all.map(({ webhookId }) => webhookId))}::text[], ${texts(all.map(({ eventType }) => eventType))}::text[],
        ${texts(all.map(({ positions }) => `{${positions.join(",")}}`))}::text[],
        ${booleans(all.map(({ isTest }) => isTest))}::boolean[],
        ${texts(all.map(({ createdAt }) => iso(createdAt)))}::timestamptz[], ${stateArrays(sql, all)},
        ${booleans(all.map(({ id }) => claimed.has(id)))}::boolean[])
        as g (endpoint_id, delivery_id, webhook_id, event_type, positions, is_test, created_at, ${sql.literal(stateNames)},
          is_claimed)
      where ${isDelivery}
    ),
    wanted_piece as materialized (
      select p.endpoint_id, p.delivery_id, p.position, p.contact_id, p.json from piece p
      where (p.delivery_id in (select delivery_id from wanted)) is true
    ),
    added as (
      insert into webhook_delivery as d (workspace_id, endpoint_id, delivery_id, webhook_id, event_type, positions, is_test,
        created_at, ${sql.literal(stateNames)}, claim)
      select home.workspace_id, g.endpoint_id, g.delivery_id, g.webhook_id, g.event_type, g.positions::bigint[], g.is_test,
        g.created_at, g.status, g.reason, g.attempt_count, g.failed_count, g.is_replay, g.next_attempt_at, g.delivered_at,
        g.claim
      from ${homeOf(sql, workspace)} cross join wanted g
      returning d.delivery_id, d.claim
    ),
    added_events as (
      insert into webhook_payload (workspace_id, endpoint_id, delivery_id, position, contact_id, json)
      select home.workspace_id, p.endpoint_id, p.delivery_id, p.position, p.contact_id, p.json
      from ${homeOf(sql, workspace)} cross join wanted_piece p
      returning 1
    )`
}

/**
 * The states of deliveries, as a part of a WITH, which returns the deliveries that met the condition on `d`. Their claims end. Both
 * keys are also compared with arrays: without one of the arrays, a plan may read all deliveries of the workspace.
 */
export const stateUpdate = (
  sql: Sql,
  workspace: WorkspaceId,
  changed: ReadonlyArray<Pick<SettledDelivery, "endpointId" | "id" | "state">>,
  condition: Statement.Fragment = sql`true`,
) => sql`
  written as (
    update webhook_delivery d set status = g.status, reason = g.reason, attempt_count = g.attempt_count,
      failed_count = g.failed_count, is_replay = g.is_replay, next_attempt_at = g.next_attempt_at,
      delivered_at = g.delivered_at, claim = null
    from unnest(${texts(changed.map(({ endpointId }) => endpointId))}::uuid[], ${texts(changed.map(({ id }) => id))}::uuid[],
      ${stateArrays(
        sql,
        changed.map(({ state }) => state),
      )}) as g (endpoint_id, delivery_id, ${sql.literal(stateNames)})
    where d.workspace_id = ${workspace} and d.endpoint_id = g.endpoint_id and d.delivery_id = g.delivery_id
      and d.endpoint_id = any(${texts([...new Set(changed.map(({ endpointId }) => endpointId))])}::uuid[])
      and d.delivery_id = any(${texts(changed.map(({ id }) => id))}::uuid[]) and ${condition}
    returning d.endpoint_id, d.delivery_id, d.status
  )`

/** Attempts of deliveries that a part `written` has written, and the counts of those that ended: two parts of a WITH. */
export const attemptInsertions = (
  sql: Sql,
  workspace: WorkspaceId,
  settled: ReadonlyArray<SettledDelivery>,
  now: Statement.Fragment,
) => {
  const logged = settled.flatMap(({ attempt, endpointId, id }) =>
    attempt === null ? [] : [{ ...attempt, endpointId, id }],
  )
  return sql`
    logged as (
      insert into webhook_attempt (workspace_id, endpoint_id, delivery_id, attempt, at, duration_ms, status_code, error,
        snippet, is_replay)
      select home.workspace_id, g.endpoint_id, g.delivery_id, g.attempt, g.at, g.duration_ms, g.status_code, g.error, g.snippet,
        g.is_replay
      from ${homeOf(sql, workspace)} cross join unnest(${texts(logged.map(({ endpointId }) => endpointId))}::uuid[],
        ${texts(logged.map(({ id }) => id))}::uuid[],
        ${ints(logged.map(({ attempt }) => attempt))}::int[], ${texts(logged.map(({ at }) => iso(at)))}::timestamptz[],
        ${ints(logged.map(({ duration_ms }) => duration_ms))}::int[],
        ${ints(logged.map(({ statusCode }) => statusCode))}::int[], ${texts(logged.map(({ error }) => error))}::text[],
        ${texts(logged.map(({ snippet }) => snippet))}::text[], ${booleans(logged.map(({ isReplay }) => isReplay))}::boolean[])
        as g (endpoint_id, delivery_id, attempt, at, duration_ms, status_code, error, snippet, is_replay)
      where (g.delivery_id in (select delivery_id from written)) is true
      on conflict do nothing
    ),
    counted as (
      insert into webhook_hour as h (workspace_id, endpoint_id, hour, delivered, failed)
      select home.workspace_id, g.endpoint_id, date_bin('1 hour', ${now}, 'epoch'), g.delivered, g.failed
      from ${homeOf(sql, workspace)} cross join (
        select w.endpoint_id, count(*) filter (where w.status = 'delivered') as delivered,
          count(*) filter (where w.status = 'failed') as failed
        from written w where w.status in ('delivered', 'failed')
        group by w.endpoint_id
      ) as g
      on conflict (workspace_id, endpoint_id, hour) do update set delivered = h.delivered + excluded.delivered,
        failed = h.failed + excluded.failed
    )`
}
