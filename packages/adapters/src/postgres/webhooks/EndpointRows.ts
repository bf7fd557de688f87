// Rows of webhook endpoints: settings, sealed secrets, and how far and how well each works.
import type { PgClient } from "@effect/sql-pg"
import type { EndpointHealth } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import type { ServedEndpoint } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type {
  DisabledReason,
  EndpointWithStats,
  WebhookEndpoint,
  WebhookReplay,
  WebhookSettings,
  WebhookStats,
} from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, instant, iso, type RowOf } from "../kernel/Instants.ts"

type Sql = PgClient.PgClient

export interface EndpointRow {
  readonly id: WebhookEndpoint["id"]
  readonly settings: WebhookSettings
  readonly status: WebhookEndpoint["status"]
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: Date | null
  readonly sealedHeaders: Uint8Array | null
  readonly headerNames: ReadonlyArray<string>
  readonly sealedSecret: Uint8Array
  readonly secretPrefix: string
  readonly previousSecret: Uint8Array | null
  readonly previousSecretExpiresAt: Date | null
  readonly replay: WebhookReplay | null
  readonly skipsThrough: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Of an endpoint `e`. */
export const endpointColumns = `e.endpoint_id as id, jsonb_build_object('url', e.url, 'description', e.description,
  'eventTypes', e.event_types, 'filter', e.filter, 'payload', e.payload, 'mode', e.mode, 'batch', e.batch,
  'inFlight_max', e.in_flight_max) as settings, e.status, e.disabled_reason as "disabledReason", e.disabled_at as "disabledAt",
  e.headers_sealed as "sealedHeaders", e.header_names as "headerNames", e.secret_sealed as "sealedSecret",
  e.secret_prefix as "secretPrefix", e.previous_secret_sealed as "previousSecret",
  e.previous_secret_expires_at as "previousSecretExpiresAt", case when e.replay_id is not null then
  jsonb_build_object('id', e.replay_id, 'after', e.replay_after, 'position', e.replay_position::text) end as replay,
  e.skips_through::text as "skipsThrough",
  e.created_at as "createdAt", e.updated_at as "updatedAt"`

/** The row must have no other columns. */
export const toEndpoint = ({
  previousSecret: sealed,
  previousSecretExpiresAt,
  ...endpoint
}: EndpointRow): WebhookEndpoint => {
  const expiresAt = instant(previousSecretExpiresAt)
  const previousSecret = sealed === null || expiresAt === null ? null : { sealed, expiresAt }
  return { ...fromRow<Omit<WebhookEndpoint, "previousSecret">>(endpoint), previousSecret }
}

export const columnsOf = (
  sql: Sql,
  { previousSecret, replay, settings, ...endpoint }: WebhookEndpoint,
): Readonly<Record<string, unknown>> => ({
  url: settings.url,
  description: settings.description,
  event_types: texts(settings.eventTypes),
  filter: settings.filter === null ? null : sql.json(settings.filter),
  payload: settings.payload,
  mode: settings.mode,
  batch: settings.batch === null ? null : sql.json(settings.batch),
  in_flight_max: settings.inFlight_max,
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  disabled_at: iso(endpoint.disabledAt),
  headers_sealed: endpoint.sealedHeaders,
  header_names: texts(endpoint.headerNames),
  secret_sealed: endpoint.sealedSecret,
  secret_prefix: endpoint.secretPrefix,
  previous_secret_sealed: previousSecret?.sealed ?? null,
  previous_secret_expires_at: iso(previousSecret?.expiresAt ?? null),
  replay_id: replay?.id ?? null,
  replay_after: replay?.after ?? null,
  replay_position: replay?.position ?? null,
  skips_through: endpoint.skipsThrough,
  created_at: iso(endpoint.createdAt),
  updated_at: iso(endpoint.updatedAt),
})

export type EndpointWithStatsRow = EndpointRow & RowOf<WebhookStats>

const hours_shown = 24

/** The columns of an endpoint and its reader. */
export const statsColumns = `${endpointColumns}, pending.pending_count, pending.oldest as "oldestPendingAt",
  ended.delivered as "delivered24h_count", ended.failed as "failed24h_count", r.failures_in_row as "failuresInRow",
  r.last_success_at as "lastSuccessAt", r.failed_at as "lastFailureAt", r.last_error as "lastError"`

/** The tables of `statsColumns`. */
export const endpointsWithStats = (sql: Sql, workspace: WorkspaceId) => sql`webhook_endpoint e
  join webhook_reader r on r.workspace_id = ${workspace} and r.endpoint_id = e.endpoint_id
  cross join lateral (
    select count(*)::int as pending_count, min(d.created_at) as oldest from webhook_delivery d
    where d.workspace_id = ${workspace} and d.endpoint_id = e.endpoint_id and d.status = 'pending') as pending
  cross join lateral (
    select coalesce(sum(h.delivered), 0)::int as delivered, coalesce(sum(h.failed), 0)::int as failed from webhook_hour h
    where h.workspace_id = ${workspace} and h.endpoint_id = e.endpoint_id
      and h.hour > now() - make_interval(hours => ${hours_shown})) as ended`

export const toEndpointWithStats = ({
  delivered24h_count,
  failed24h_count,
  failuresInRow,
  lastError,
  lastFailureAt,
  lastSuccessAt,
  oldestPendingAt,
  pending_count,
  ...endpoint
}: EndpointWithStatsRow): EndpointWithStats => ({
  endpoint: toEndpoint(endpoint),
  stats: {
    pending_count,
    oldestPendingAt: instant(oldestPendingAt),
    delivered24h_count,
    failed24h_count,
    failuresInRow,
    lastSuccessAt: instant(lastSuccessAt),
    lastFailureAt: instant(lastFailureAt),
    lastError,
  },
})

export type ServedRow = EndpointRow & RowOf<EndpointHealth> & { readonly position: string }

/** The columns of an endpoint and its reader `r`, as a worker serves it. */
export const servedColumns = `${endpointColumns}, r.position::text as position, r.failures_in_row as "failuresInRow",
  r.healthy_at as "healthyAt", r.failed_at as "failedAt", r.in_flight_max as "inFlight_max"`

export const toServed = ({
  failedAt,
  failuresInRow,
  healthyAt,
  inFlight_max,
  position,
  ...endpoint
}: ServedRow): ServedEndpoint => ({
  endpoint: toEndpoint(endpoint),
  position,
  health: fromRow<EndpointHealth>({ failuresInRow, healthyAt, failedAt, inFlight_max }),
})
