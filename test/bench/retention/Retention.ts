// Retention: the deletion of a month of deliveries, one of them with ten times as many rows. Maintenance drops the partition.
import type { Bench, Benchmark } from "../Benchmark.ts"
import { comparison, type Row, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { World } from "../World.ts"

const dropped_ms_max = 1_000
const delivery_days = 90

export const retention: Benchmark = async (bench) => {
  const many = bench.quick ? 50_000 : bench.full ? 10_000_000 : 1_000_000
  const few = many / 10
  const world = await World.begin(bench)
  await fillMonth(bench, world, { months_ago: 8, rows: few })
  await fillMonth(bench, world, { months_ago: 7, rows: many })
  const small_ms = await dropOldest(world)
  const large_ms = await dropOldest(world)
  const row: Row = comparison(
    `dropping ${many.toLocaleString("en-US")} deliveries beside ${few.toLocaleString("en-US")}`,
    "ms",
    { reference: spreadOf([small_ms]), ours: spreadOf([large_ms]) },
    () => [timeAtMost(dropped_ms_max, large_ms)],
  )
  bench.report.section(
    "A month of deliveries",
    [row],
    ["the check for rows that are still needed:", ...(await plan(world))],
  )
}

interface Month {
  readonly months_ago: number
  readonly rows: number
}

/** A partition as maintenance creates it, with sent deliveries of one blast. Inserted into it directly, so that nothing counts them. */
const fillMonth = async ({ report }: Bench, world: World, { months_ago, rows }: Month): Promise<void> => {
  report.say(`${rows.toLocaleString("en-US")} deliveries of a month …`)
  const workspace = await world.firstWorkspace()
  await world.inside.asOwner(`do $$
    declare
      first date := date_trunc('month', now() at time zone 'UTC') - interval '${months_ago} months';
      name text := 'delivery_' || to_char(first, 'YYYY_MM');
      statement text;
    begin
      execute format('create table %I partition of delivery for values from (%L) to (%L)', name,
        tentpole_day_start('uuid', first), tentpole_day_start('uuid', (first + interval '1 month')::date));
      foreach statement in array (select index_statements from table_retention where relation = 'delivery') loop
        execute format(statement, name);
      end loop;
      execute format($insert$
        insert into %I (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized, display_name,
          display_name_folded, operational, state, token, sent_at, handed_over_at, created_at)
        select '${workspace}', timed_id((extract(epoch from at) * 1000)::bigint, decode(md5(n::text), 'hex')), md5('blast')::uuid, md5(n::text)::uuid, md5('blast')::uuid,
          'person' || n || '@example.com', 'person' || n || '@example.com', 'Person ' || n, 'person ' || n, false, 'sent', n, at, at,
          at
        from generate_series(1, ${rows}) as n, lateral (select %L::timestamptz + n * interval '1 ms' as at) as sent
      $insert$, name, first);
    end $$`)
  await world.inside.asOwner("checkpoint").catch(() => undefined)
}

/** Maintenance calls the same function. Fails unless one partition was dropped. */
const dropOldest = async (world: World): Promise<number> => {
  const partitions = "select count(*)::int as count from pg_inherits where inhparent = 'delivery'::regclass"
  const [before] = await world.byHand<{ count: number }>(partitions)
  const ms = await timed(() => world.byHand(`select tentpole_delete_old('delivery', ${delivery_days})`))
  const [after] = await world.byHand<{ count: number }>(partitions)
  if (before === undefined || after?.count !== before.count - 1) throw new Error("no partition was dropped")
  return ms
}

/** A partition is not dropped while the queue has a delivery of its time. */
const plan = async (world: World): Promise<ReadonlyArray<string>> => {
  const lines = await world.byHand<{ "QUERY PLAN": string }>(`
    explain (analyze, costs off, timing off, summary off)
    select exists (select from delivery_queue where delivery_id >= '01000000-0000-0000-0000-000000000000'
      and delivery_id < '01010000-0000-0000-0000-000000000000')`)
  return lines.map((line) => line["QUERY PLAN"])
}
