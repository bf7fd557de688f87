// Facts about the database for `doctor`: role, version, migrations and clock.
import { PgClient } from "@effect/sql-pg"
import type { Backlog } from "@tentpole/core/operations/overview/ServiceOverview"
import { type ClusterNode, isWhole } from "@tentpole/core/operations/nodes/ClusterNode"
import { Effect, type Redacted } from "effect"
import { clusterNodes, undistributed } from "../citus/Nodes.ts"
import * as Primary from "../kernel/Primary.ts"
import { SqlError } from "effect/sql"
import { default_statement_timeout_ms } from "../kernel/Postgres.ts"
import { lackingSettings, service_role, sessionSettings } from "../kernel/Session.ts"
import { migrations } from "../migrations/All.ts"

/** The nodes of Citus. */
export interface ClusterDiagnosis {
  /** null: they did not answer in time. Without each of them, webhooks, messages and consent are not known. */
  readonly nodes: ReadonlyArray<ClusterNode> | null
  /** Tables that are not stored where they belong. */
  readonly misplaced: ReadonlyArray<string>
  /** Whether the distribution was interrupted. */
  readonly isUnfinished: boolean
}

export interface Diagnosis {
  /** `server_version_num`: 180004. */
  readonly version: number
  readonly user: string
  /** Whether this login is a superuser or has BYPASSRLS. */
  readonly unbound: boolean
  readonly mayBeService: boolean
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly ahead_ms: number
  readonly connections_free: number
  /** Statements that make the session's settings defaults of the login. Empty without a pooler, where sessions set them. */
  readonly lacking: ReadonlyArray<string>
  /** When a restore from a backup was recognised, if it waits for its release. */
  readonly restored_at: string | null
  /** The counter of the epoch. 0: no worker has run. */
  readonly epoch: number
  /** When a worker without a send journal last ran, if it was in the last ten minutes. */
  readonly unjournaled_at: string | null
  /** null on a database without Citus. */
  readonly cluster: ClusterDiagnosis | null
  /** Webhook endpoints that were disabled because they did not work, and the age of the oldest event that one has not taken over. */
  readonly webhooks: { readonly disabled: number; readonly lag_s: number }
  /** How long the oldest due single message waits; workspaces that send messages and marketing from the same address. */
  readonly messages: { readonly lag_s: number; readonly shared_count: number }
  /** Workspaces with active topics: without postal address or privacy page, with blasts without a topic; all that reached the limit of confirmations. */
  readonly consent: { readonly unnamed_count: number; readonly untopical_count: number; readonly held_count: number }
  /** Migrations of this version that have not run. */
  readonly pending: ReadonlyArray<string>
  /** Migrations that have run and that this version does not know: a newer version has run them. */
  readonly unknown: ReadonlyArray<string>
}

interface Row {
  readonly version: number
  readonly name: string
  readonly has_role: boolean
  readonly may_be_service: boolean
  readonly unbound: boolean
  readonly now_ms: number
  readonly free: number
  readonly migrated: boolean
  readonly has_citus: boolean
}

interface EpochRow {
  readonly restored_at: Date | null
  readonly counter: number
  readonly unjournaled_at: Date | null
}

const timeout = "10 seconds"
const nodes_timeout = "4 seconds"

const readCluster = Effect.gen(function* () {
  const nodes = yield* Effect.orElseSucceed(Effect.timeout(clusterNodes, nodes_timeout), () => null)
  return { nodes, ...(yield* undistributed) } satisfies ClusterDiagnosis
})

const readDiagnosis = Effect.fnUntraced(function* (isPooled: boolean) {
  const sql = yield* PgClient.PgClient
  const before_ms = Date.now()
  const [row] = yield* sql<Row>`
    select current_setting('server_version_num')::int as version, session_user as name,
      (r.oid is not null) as has_role, coalesce(pg_has_role(session_user, r.oid, 'member'), false) as may_be_service,
      coalesce(r.rolsuper or r.rolbypassrls, false) as unbound,
      extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
      current_setting('max_connections')::int - (select count(*)::int from pg_stat_activity) as free,
      to_regclass('public.schema_migration') is not null as migrated,
      exists (select 1 from pg_extension where extname = 'citus') as has_citus
    from (select 1) as one left join pg_roles r on r.rolname = ${service_role}`
  const middle_ms = (before_ms + Date.now()) / 2
  const done = row?.migrated === true ? yield* sql<{ readonly name: string }>`select name from schema_migration` : []
  const [epoch] = done.some(({ name }) => name in migrations)
    ? yield* sql<EpochRow>`
        select restored_at, counter::float8 as counter,
          case when unjournaled_at > clock_timestamp() - interval '10 minutes' then unjournaled_at end as unjournaled_at
        from service_epoch`
    : []
  const cluster = epoch !== undefined && row?.has_citus === true && row.may_be_service ? yield* readCluster : null
  // While a node does not answer, a statement about all workspaces fails or waits.
  const backlog =
    epoch === undefined || (cluster !== null && (cluster.nodes === null || !isWhole(cluster.nodes)))
      ? []
      : yield* sql<Pick<Backlog, "items" | "oldest_s" | "state">>`
    select case when queue = 'due' then 'messages' else state end as state, items::float8 as items, oldest_s
    from tentpole_backlog() where queue = 'webhooks' or queue = 'due' and kind = 'messages'
    union all select 'shared', tentpole_shared_senders()::float8, null
    union all select kind, items::float8, null from tentpole_consent_gaps()`
  const names = new Set(done.map(({ name }) => name))
  return {
    version: row?.version ?? 0,
    user: row?.name ?? "",
    unbound: row?.unbound ?? false,
    mayBeService: row?.may_be_service ?? false,
    ahead_ms: Math.round((row?.now_ms ?? middle_ms) - middle_ms),
    connections_free: row?.free ?? 0,
    lacking: isPooled ? yield* lackingSettings(sql, sessionSettings(default_statement_timeout_ms)) : [],
    restored_at: epoch?.restored_at?.toISOString() ?? null,
    epoch: epoch?.counter ?? 0,
    unjournaled_at: epoch?.unjournaled_at?.toISOString() ?? null,
    cluster,
    webhooks: {
      disabled: backlog.find(({ state }) => state === "disabled")?.items ?? 0,
      lag_s: backlog.find(({ state }) => state === "behind")?.oldest_s ?? 0,
    },
    messages: {
      lag_s: backlog.find(({ state }) => state === "messages")?.oldest_s ?? 0,
      shared_count: backlog.find(({ state }) => state === "shared")?.items ?? 0,
    },
    consent: {
      unnamed_count: backlog.find(({ state }) => state === "unnamed")?.items ?? 0,
      untopical_count: backlog.find(({ state }) => state === "untopical")?.items ?? 0,
      held_count: backlog.find(({ state }) => state === "held")?.items ?? 0,
    },
    pending: Object.keys(migrations).filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !(name in migrations)),
  } satisfies Diagnosis
})

/** The facts, or the reason why the server cannot be read. */
export const diagnose = (url: Redacted.Redacted, isPooled = false): Effect.Effect<Diagnosis, string> =>
  readDiagnosis(isPooled).pipe(
    Effect.provide(
      Primary.layer({
        url,
        maxConnections: 1,
        connectTimeout: "5 seconds",
        applicationName: "tentpole doctor",
        prepare: false,
        startupParameters: { timezone: "UTC" },
      }),
    ),
    Effect.timeout(timeout),
    Effect.mapError((error) => (SqlError.isSqlError(error) ? error.reason._tag : `no answer within ${timeout}`)),
  )
