// Page views on PostgreSQL: a batch is one statement, which writes the views and adds up their days.
import { PgClient } from "@effect/sql-pg"
import { TentId, type WorkspaceId } from "@tentpole/core/Ids"
import { devices, type Device } from "@tentpole/core/traffic/Agents"
import {
  type Counted,
  type Counts,
  type Days,
  dimensions,
  type Dimension,
  groups_max,
  recent_max,
} from "@tentpole/core/traffic/Analytics"
import { type PageView, TrafficStore } from "@tentpole/core/traffic/TrafficStore"
import { Transaction } from "@tentpole/core/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { fenced, orDefect, Reads } from "./Postgres.ts"

/**
 * A view written before, under its id, is left out of the sums too. Days are added up in the order of their key, so that
 * two processes that write the same days wait for each other instead of for ever.
 */
const recordViews = (sql: PgClient.PgClient, workspace: WorkspaceId, views: ReadonlyArray<PageView>) => sql`
  with added as (
    insert into page_view (workspace_id, tent_id, at, view_id, visitor, country, device, browser, os, referrer)
    select ${workspace}, u.tent_id, u.at, u.view_id, decode(u.visitor, 'hex'), u.country, u.device, u.browser, u.os, u.referrer
    from unnest(${texts(views.map((view) => view.tentId))}::uuid[], ${texts(views.map((view) => DateTime.formatIso(view.at)))}::timestamptz[],
      ${texts(views.map((view) => view.id))}::uuid[], ${texts(views.map((view) => hex(view.visitor)))}::text[],
      ${texts(views.map((view) => view.country))}::text[], ${texts(views.map((view) => view.device))}::text[],
      ${texts(views.map((view) => view.browser))}::text[], ${texts(views.map((view) => view.os))}::text[],
      ${texts(views.map((view) => view.referrer))}::text[])
      as u (tent_id, at, view_id, visitor, country, device, browser, os, referrer)
    on conflict do nothing
    returning tent_id, (at at time zone 'UTC')::date as day, visitor, country, device, browser, os, referrer
  ),
  visitors as (
    insert into page_visitor_day (workspace_id, tent_id, day, visitor)
    select distinct ${workspace}::uuid, tent_id, day, visitor from added order by tent_id, day, visitor
    on conflict do nothing
    returning tent_id, day
  ),
  everybody as (
    insert into workspace_visitor_day (workspace_id, day, visitor)
    select distinct ${workspace}::uuid, day, visitor from added order by day, visitor
    on conflict do nothing
    returning day
  ),
  counted as (
    select added.tent_id, added.day, v.dimension, v.value, count(*)::int as views
    from added, lateral (values ('all', ''), ('country', country), ('device', device), ('browser', browser), ('os', os),
      ('referrer', referrer)) as v (dimension, value)
    group by added.tent_id, added.day, v.dimension, v.value
  ),
  of_tents as (
    insert into page_view_day as d (workspace_id, tent_id, day, dimension, value, views)
    select ${workspace}, tent_id, day, dimension, value, views from (
      select tent_id, day, dimension, value, views from counted
      union all
      select tent_id, day, 'visits', '', count(*)::int from visitors group by tent_id, day
    ) as sums
    order by tent_id, day, dimension, value
    on conflict (workspace_id, tent_id, day, dimension, value) do update set views = d.views + excluded.views
  )
  insert into workspace_view_day as d (workspace_id, day, dimension, value, views)
  select ${workspace}, day, dimension, value, views from (
    select day, dimension, value, sum(views)::int as views from counted group by day, dimension, value
    union all
    select day, 'visits', '', count(*)::int from everybody group by day
  ) as sums
  order by day, dimension, value
  on conflict (workspace_id, day, dimension, value) do update set views = d.views + excluded.views`

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

interface DayRow {
  readonly day: string
  readonly views: number
  readonly visits: number
}

interface GroupRow {
  readonly dimension: Dimension
  readonly value: string
  readonly views: number
}

interface RecentRow {
  readonly at: Date
  readonly country: string
  readonly device: string
  readonly browser: string
  readonly os: string
  readonly referrer: string
}

const toDevice = (text: string): Device => devices.find((device) => device === text) ?? "unknown"

const grouped = (rows: ReadonlyArray<GroupRow>): Counts["groups"] => {
  const of = (dimension: Dimension): ReadonlyArray<Counted> =>
    rows.filter((row) => row.dimension === dimension).map(({ value, views }) => ({ value, views }))
  return {
    country: of("country"),
    device: of("device"),
    browser: of("browser"),
    os: of("os"),
    referrer: of("referrer"),
  }
}

const countViews = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  tent: TentId | null,
  days: Days,
) {
  const ofTent = tent === null ? sql`true` : sql`tent_id = ${tent}`
  const sums = tent === null ? sql`workspace_view_day` : sql`page_view_day`
  const inDays = sql`workspace_id = ${workspace} and ${ofTent} and day between ${days.first} and ${days.last}`
  const perDay = yield* sql<DayRow>`
    select day::text as day, coalesce(sum(views) filter (where dimension = 'all'), 0)::int as views,
      coalesce(sum(views) filter (where dimension = 'visits'), 0)::int as visits
    from ${sums} where ${inDays} and dimension in ('all', 'visits') group by day order by day`
  const groups = yield* sql<GroupRow>`
    select dimension, value, views from (
      select dimension, value, sum(views)::int as views,
        row_number() over (partition by dimension order by sum(views) desc, value) as place
      from ${sums} where ${inDays} and dimension = any(${texts(dimensions)}::text[]) group by dimension, value
    ) as g where place <= ${groups_max} order by dimension, place`
  const recent = yield* sql<RecentRow>`
    select at, country, device, browser, os, referrer from page_view
    where workspace_id = ${workspace} and ${ofTent} and at >= ${days.first}::date::timestamp at time zone 'UTC'
      and at < (${days.last}::date + 1)::timestamp at time zone 'UTC'
    order by at desc, view_id desc limit ${recent_max}`
  return {
    visits: perDay.reduce((sum, each) => sum + each.visits, 0),
    days: perDay.map(({ day, views }) => ({ day, views })),
    groups: grouped(groups),
    recent: recent.map((row) => ({ ...row, at: DateTime.makeUnsafe(row.at), device: toDevice(row.device) })),
  } satisfies Counts
})

interface TopRow {
  readonly tent_id: string
  readonly name: string
  readonly views: number
  readonly visits: number
}

const topOf = (sql: PgClient.PgClient, workspace: WorkspaceId, { first, last }: Days) => sql<TopRow>`
  select d.tent_id, t.name, coalesce(sum(d.views) filter (where d.dimension = 'all'), 0)::int as views,
    coalesce(sum(d.views) filter (where d.dimension = 'visits'), 0)::int as visits
  from page_view_day d join tent t on t.workspace_id = d.workspace_id and t.tent_id = d.tent_id
  where d.workspace_id = ${workspace} and d.day between ${first} and ${last} and d.dimension in ('all', 'visits')
  group by d.tent_id, t.name
  order by views desc, d.tent_id limit ${groups_max}`

export const layer = Layer.effect(
  TrafficStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { read } = yield* Reads
    const within = fenced(sql)
    return TrafficStore.of({
      record: (workspace, views) =>
        Effect.andThen(Transaction, within(workspace, recordViews(sql, workspace, views))).pipe(Effect.asVoid),
      counts: (workspace, tent, days) => read(workspace, (client) => countViews(client, workspace, tent, days)),
      topTents: (workspace, days) =>
        read(workspace, (client) => topOf(client, workspace, days)).pipe(
          Effect.map((rows) =>
            rows.map(({ tent_id, name, views, visits }) => ({ tentId: TentId.make(tent_id), name, views, visits })),
          ),
        ),
      salt: (day, offered) =>
        Transaction.pipe(
          Effect.andThen(
            // The update that changes nothing answers the row that was there.
            orDefect(sql<{ salt: Uint8Array }>`
              insert into visitor_salt as s (day, salt) values (${day}, ${offered})
              on conflict (day) do update set salt = s.salt returning salt`),
          ),
          Effect.map(([row]) => row?.salt ?? offered),
        ),
      forgetSalts: (before) =>
        Transaction.pipe(Effect.andThen(orDefect(sql`delete from visitor_salt where day < ${before}`)), Effect.asVoid),
    })
  }),
)
