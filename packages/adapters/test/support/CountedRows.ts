// The check that the counters and figures of deliveries equal the rows: at the end of a test file, in all its workspaces.
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"

/** `table key` names a counter. A blast with more domains than its figures distinguish is compared without them. `$1`: the workspace. */
const differences = `
  with row as (
    select d.*, d.membership_id is null as of_blast, coalesce(split_part(d.email_normalized, '@', -1), 'unknown') as domain
    from delivery d join blast b on b.workspace_id = $1::uuid and b.blast_id = d.blast_id
    where d.workspace_id = $1::uuid
  ),
  event as (
    select r.workspace_id, r.blast_id, r.of_blast, r.domain, e.counter, e.at from row r
    cross join lateral (values
      ('recipients', r.created_at), ('queued', case when r.state = 'queued' then r.created_at end),
      ('deferred', case when r.state = 'queued' and r.attempts > 0 then r.created_at end),
      ('sent', case when r.state = 'sent' then r.sent_at end), ('failed', r.failed_at),
      ('blocked', case when r.state = 'blocked' then r.created_at end), ('delivered', r.delivered_at),
      ('opened', r.opened_at), ('clicked', r.clicked_at), ('bounced', r.bounced_at), ('complained', r.complained_at),
      ('unsubscribed', r.unsubscribed_at), ('machine_opened', r.machine_opened_at), ('machine_clicked', r.machine_clicked_at)
    ) as e (counter, at)
    where e.at is not null
  ),
  counted as (
    select workspace_id, blast_id, 'delivery_tally' as key, counter, 1 as n from event
    where counter not in ('recipients', 'machine_opened', 'machine_clicked')
    union all
    select workspace_id, blast_id, 'delivery_hour ' || date_trunc('hour', at, 'UTC'), counter, 1 from event
    where counter not in ('recipients', 'queued', 'deferred', 'blocked')
    union all
    select workspace_id, blast_id, 'delivery_domain ' || domain || ' ' || (at at time zone 'UTC')::date, counter, 1 from event
    where counter not in ('deferred', 'blocked', 'machine_opened', 'machine_clicked')
    union all
    select workspace_id, blast_id, 'delivery_pace ' || date_bin('10 s', at, 'epoch'), 'sent', 1 from event
    where counter = 'sent' and of_blast
    union all
    select workspace_id, blast_id, 'delivery_reason ' || case when state = 'blocked' then state else 'failed' end || ' ' || reason,
      'recipients', 1
    from row where reason is not null
    union all
    select f.workspace_id, f.blast_id, f.key, c.key, -c.value::int from (
      select workspace_id, blast_id, 'delivery_tally' as key, to_jsonb(t) as sums from delivery_tally t where t.workspace_id = $1::uuid
      union all select workspace_id, blast_id, 'delivery_hour ' || hour, to_jsonb(t) - 'hour' from delivery_hour t where t.workspace_id = $1::uuid
      union all select workspace_id, blast_id, 'delivery_domain ' || domain || ' ' || day, to_jsonb(t) - '{domain,day}'::text[]
        from delivery_domain t where t.workspace_id = $1::uuid
      union all select workspace_id, blast_id, 'delivery_pace ' || at, to_jsonb(t) - 'at' from delivery_pace t where t.workspace_id = $1::uuid
      union all select workspace_id, blast_id, 'delivery_reason ' || state || ' ' || reason,
        to_jsonb(t) - '{state,reason,sample_id}'::text[] from delivery_reason t where t.workspace_id = $1::uuid
    ) as f
    cross join lateral jsonb_each_text(f.sums - '{workspace_id,blast_id,shard}'::text[]) as c
  )
  select blast_id || ' ' || key || ' ' || counter as counter, sum(n)::int as missing from counted c
  where key not like 'delivery_domain %' or not exists (select from delivery_domain o
    where o.workspace_id = $1::uuid and o.blast_id = c.blast_id and o.domain = 'other')
  group by workspace_id, blast_id, key, counter having sum(n) <> 0 order by 1`

const check = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const workspaces = yield* sql<{ readonly id: string }>`
    select distinct workspace_id as id from blast union select distinct workspace_id from delivery_tally`
  const found = yield* Effect.forEach(workspaces, ({ id }) =>
    sql.unsafe<{ readonly counter: string; readonly missing: number }>(differences, [id]),
  )
  const lines = found.flat().map(({ counter, missing }) => `${counter}: ${missing} more in the rows`)
  if (lines.length > 0) yield* Effect.die(new Error(`counters do not equal the rows:\n${lines.join("\n")}`))
})

/** Stores on PostgreSQL whose counters of deliveries are checked when the tests have ended. */
export const counted = <A, E, R>(stores: Layer.Layer<A | PgClient.PgClient, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
      const url = Redacted.make(`${inject("pgServer")}/${database?.name}`)
      const end = check.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.orDie)
      yield* Effect.addFinalizer(() => end)
    }).pipe(Effect.orDie),
  ).pipe(Layer.provideMerge(stores))
