// `ServiceOverviewStore` on PostgreSQL.
import { dueKinds } from "@tentpole/core/kernel/changes/DueWork"
import { PgClient } from "@effect/sql-pg"
import { lag_period_s, type LagPeak, type ServiceProcess } from "@tentpole/core/operations/overview/ServiceOverview"
import { processes_max, ServiceOverviewStore } from "@tentpole/core/operations/overview/ServiceOverviewStore"
import { DateTime, Effect, Layer } from "effect"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { orDefect } from "../kernel/Postgres.ts"
import { backlog } from "./Backlog.ts"

/** The earliest due time of each kind. One query for each: a distributed database refuses correlated ones. */
const earliest = (sql: PgClient.PgClient) =>
  dueKinds
    .map(
      (kind) => sql`
      select ${kind}::text as kind, min(due_at) as due_at from due_work where kind = ${kind} and due_at <= now()`,
    )
    .reduce((all, each) => sql`${all} union all ${each}`)

export const layer = Layer.effect(
  ServiceOverviewStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return ServiceOverviewStore.of({
      beat: ({ eventLoopP99_ms, id, kind, rss_bytes, uptime_s }) =>
        Effect.asVoid(
          orDefect(sql`
            insert into process (process_id, kind, started_at, seen_at, rss_bytes, event_loop_p99_ms)
            values (${id}, ${kind}, clock_timestamp() - make_interval(secs => ${uptime_s}), clock_timestamp(), ${rss_bytes},
              ${eventLoopP99_ms})
            on conflict (process_id) do update set seen_at = excluded.seen_at, rss_bytes = excluded.rss_bytes,
              event_loop_p99_ms = excluded.event_loop_p99_ms`),
        ),
      leave: (id) => Effect.asVoid(orDefect(sql`delete from process where process_id = ${id}`)),
      processes: orDefect(sql<RowOf<ServiceProcess>>`
        select process_id as id, kind, started_at as "startedAt", seen_at as "seenAt", rss_bytes::float8 as rss_bytes,
          event_loop_p99_ms as "eventLoopP99_ms"
        from process where seen_at > now() - interval '1 day'
        order by kind, started_at, process_id limit ${processes_max}`).pipe(
        Effect.map((rows) => rows.map(fromRow<ServiceProcess>)),
      ),
      // Only indexed reads: the row of each kind that has been due for longest.
      recordLag: Effect.asVoid(
        orDefect(sql`
          insert into due_lag as l (at, kind, lag_s)
          select date_bin(make_interval(secs => ${lag_period_s}), now(), 'epoch'), d.kind,
            -- another server may have found it with a clock that is ahead
            greatest(0, extract(epoch from now() - d.due_at))
          from (${earliest(sql)}) as d
          on conflict (at, kind) do update set lag_s = excluded.lag_s where l.lag_s < excluded.lag_s`),
      ),
      lagPeaks: (since) =>
        orDefect(sql<RowOf<LagPeak>>`
          select at, kind, lag_s from due_lag where at >= ${DateTime.formatIso(since)}::timestamptz`).pipe(
          Effect.map((rows) => rows.map(fromRow<LagPeak>)),
        ),
      backlog: orDefect(Effect.provideService(backlog, PgClient.PgClient, sql)),
      database_bytes: orDefect(sql<{ readonly bytes: number }>`
        select pg_database_size(current_database())::float8 as bytes`).pipe(Effect.map(([row]) => row?.bytes ?? 0)),
    })
  }),
)
