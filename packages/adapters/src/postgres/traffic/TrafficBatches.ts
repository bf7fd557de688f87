// The write of a batch of page views. It first inserts the batch id, visitors and totals, which locks the days. Then it adds up
// the values of each dimension, of which a day stores a limited number.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { other, values_max } from "@tentpole/core/traffic/Analytics"
import type { ViewBatch } from "@tentpole/core/traffic/TrafficStore"
import type { DaySum } from "@tentpole/core/traffic/ViewBatch"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { ints, texts } from "../kernel/Arrays.ts"
import { homeOf } from "../citus/Home.ts"
import { transactionTime } from "../kernel/Postgres.ts"

export const recordBatch = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  batch: ViewBatch,
) {
  const [written] = yield* writeViews(sql, workspace, batch, yield* transactionTime(sql))
  if (written === undefined) return
  const values = batch.sums.filter(({ dimension }) => dimension !== "all")
  yield* addValues(sql, workspace, values, {
    table: sql`page_view_day`,
    place: sql`tent_id, day`,
    same: sql`d.tent_id = p.tent_id and d.day = p.day`,
  })
  yield* addValues(sql, workspace, values, {
    table: sql`workspace_view_day`,
    place: sql`day`,
    same: sql`d.day = p.day`,
  })
})

const daySums = (sql: PgClient.PgClient, sums: ReadonlyArray<DaySum>) => sql`
  unnest(${texts(sums.map((sum) => sum.tentId))}::uuid[], ${texts(sums.map((sum) => sum.day))}::date[],
    ${texts(sums.map((sum) => sum.dimension))}::text[], ${texts(sums.map((sum) => sum.value))}::text[],
    ${ints(sums.map((sum) => sum.views))}::int[])`

/**
 * Returns a row unless the batch was written before. Days are written in the order of their key, so that concurrent processes
 * wait for each other without a deadlock.
 */
const writeViews = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { id, newest, sums, visitors }: ViewBatch,
  now: Statement.Fragment,
) => sql`
  with batch as (
    insert into traffic_batch (workspace_id, batch_id, at) values (${workspace}, ${id}, ${now})
    on conflict do nothing
    returning batch_id
  ),
  single as (
    insert into page_view (workspace_id, tent_id, at, view_id, country, device, browser, os, referrer)
    select home.workspace_id, u.tent_id, u.at, u.view_id, u.country, u.device, u.browser, u.os, u.referrer
    from ${homeOf(sql, workspace)} cross join batch cross join unnest(${texts(newest.map((view) => view.tentId))}::uuid[],
      ${texts(newest.map((view) => DateTime.formatIso(view.at)))}::timestamptz[],
      ${texts(newest.map((view) => view.id))}::uuid[], ${texts(newest.map((view) => view.country))}::text[],
      ${texts(newest.map((view) => view.device))}::text[], ${texts(newest.map((view) => view.browser))}::text[],
      ${texts(newest.map((view) => view.os))}::text[], ${texts(newest.map((view) => view.referrer))}::text[])
      as u (tent_id, at, view_id, country, device, browser, os, referrer)
    returning 1
  ),
  visitors as (
    insert into page_visitor_day (workspace_id, tent_id, day, visitor)
    select home.workspace_id, u.tent_id, u.day, decode(u.visitor, 'hex')
    from ${homeOf(sql, workspace)} cross join batch cross join unnest(${texts(visitors.map((each) => each.tentId))}::uuid[],
      ${texts(visitors.map((each) => each.day))}::date[],
      ${texts(visitors.map(({ visitor }) => visitor))}::text[]) as u (tent_id, day, visitor)
    order by u.tent_id, u.day, u.visitor
    on conflict do nothing
    returning tent_id, day, visitor
  ),
  workspace_visitors as (
    insert into workspace_visitor_day (workspace_id, day, visitor)
    select home.workspace_id, day, visitor
    from ${homeOf(sql, workspace)} cross join (select distinct day, visitor from visitors) as v
    order by day, visitor
    on conflict do nothing
    returning day
  ),
  counted as (
    select u.tent_id, u.day, u.views
    from batch, ${daySums(
      sql,
      sums.filter(({ dimension }) => dimension === "all"),
    )} as u (tent_id, day, dimension, value, views)
  ),
  of_tents as (
    insert into page_view_day as d (workspace_id, tent_id, day, dimension, value, views)
    select home.workspace_id, tent_id, day, dimension, '', views from ${homeOf(sql, workspace)} cross join (
      select tent_id, day, 'all' as dimension, views from counted
      union all
      select tent_id, day, 'visits', count(*)::int from visitors group by tent_id, day
    ) as sums
    order by tent_id, day, dimension
    on conflict (workspace_id, tent_id, day, dimension, value) do update set views = d.views + excluded.views
  ),
  of_workspace as (
    insert into workspace_view_day as d (workspace_id, day, dimension, value, views)
    select home.workspace_id, day, dimension, '', views from ${homeOf(sql, workspace)} cross join (
      select day, 'all' as dimension, sum(views)::int as views from counted group by day
      union all
      select day, 'visits', count(*)::int from workspace_visitors group by day
    ) as sums
    order by day, dimension
    on conflict (workspace_id, day, dimension, value) do update set views = d.views + excluded.views
  )
  select 1 as one from batch`

/** A table of sums, its key columns, and the condition that rows `d` and `p` have the same key. */
interface SumTable {
  readonly table: Fragment
  readonly place: Fragment
  readonly same: Fragment
}

type Fragment = Statement.Fragment

/**
 * Adds the views of each value. New values are stored while the day has room; further ones count under `other`. The transaction
 * has already locked the day's `all` rows, so one writer at a time counts the room, on a snapshot taken after the lock. The room
 * is counted only when there are new values.
 */
const addValues = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  values: ReadonlyArray<DaySum>,
  { place, same, table }: SumTable,
) => sql`
  with given as (
    select ${place}, dimension, value, sum(views)::int as views
    from ${daySums(sql, values)} as u (tent_id, day, dimension, value, views)
    group by ${place}, dimension, value
  ),
  unseen as (
    select ${place}, dimension, value,
      row_number() over (partition by ${place}, dimension order by views desc, value collate "C") as turn
    from given p
    where not exists (
      select from ${table} d
      where d.workspace_id = ${workspace} and ${same} and d.dimension = p.dimension and d.value = p.value)
  ),
  rooms as (
    select ${place}, dimension, ${values_max} - (
      select count(*) from ${table} d
      where d.workspace_id = ${workspace} and ${same} and d.dimension = p.dimension and d.value <> ${other}) as room
    from (select distinct ${place}, dimension from unseen) as p
  ),
  excess as (
    select ${place}, dimension, value, turn from unseen join rooms using (${place}, dimension) where turn > room
  ),
  named as (
    select ${place}, dimension, case when turn is null then value else ${other} end as value, views
    from given left join excess using (${place}, dimension, value)
  ),
  added as (
    insert into ${table} as d (workspace_id, ${place}, dimension, value, views)
    select home.workspace_id, ${place}, dimension, value, views from ${homeOf(sql, workspace)} cross join (
      select ${place}, dimension, value, sum(views)::int as views from named group by ${place}, dimension, value
    ) as summed
    order by ${place}, dimension, value
    on conflict (workspace_id, ${place}, dimension, value) do update set views = d.views + excluded.views
  )
  select 1`
