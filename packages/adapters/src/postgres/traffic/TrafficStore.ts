// `TrafficStore` on PostgreSQL: page views, written by `TrafficBatches` and read from daily sums.
import type { PgClient } from "@effect/sql-pg"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { devices, type Device } from "@tentpole/core/traffic/Agents"
import {
  type Counted,
  type Counts,
  type Day,
  type Days,
  dimensions,
  type Dimension,
  groups_max,
  recent_max,
  type RecentView,
  type TopTent,
} from "@tentpole/core/traffic/Analytics"
import { TrafficStore } from "@tentpole/core/traffic/TrafficStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import type { RowOf } from "../kernel/Instants.ts"
import { orDefect } from "../kernel/Postgres.ts"
import { recordBatch } from "./TrafficBatches.ts"
import { storeLayer } from "../StoreLayer.ts"

interface GroupRow extends Counted {
  readonly dimension: Dimension
}

const toDevice = (text: string): Device => devices.find((device) => device === text) ?? "unknown"

const toGroups = (rows: ReadonlyArray<GroupRow>): Counts["groups"] => {
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
  const perDay = yield* sql<{
    readonly day: Day
    readonly views: number
    readonly visits: number
    readonly submissions: number
  }>`
    select day::text as day, coalesce(sum(views) filter (where dimension = 'all'), 0)::int as views,
      coalesce(sum(views) filter (where dimension = 'visits'), 0)::int as visits,
      coalesce(sum(views) filter (where dimension = 'submissions'), 0)::int as submissions
    from ${sums} where ${inDays} and dimension in ('all', 'visits', 'submissions') group by day order by day`
  const groups = yield* sql<GroupRow>`
    select dimension, value, views from (
      select dimension, value, sum(views)::int as views,
        row_number() over (partition by dimension order by sum(views) desc, value) as place
      from ${sums} where ${inDays} and dimension = any(${texts(dimensions)}::text[]) group by dimension, value
    ) as g where place <= ${groups_max} order by dimension, place`
  const recent = yield* sql<RowOf<Omit<RecentView, "device"> & { readonly device: string }>>`
    select at, country, device, browser, os, referrer from page_view
    where workspace_id = ${workspace} and ${ofTent} and at >= ${days.first}::date::timestamp at time zone 'UTC'
      and at < (${days.last}::date + 1)::timestamp at time zone 'UTC'
    order by at desc, view_id desc limit ${recent_max}`
  return {
    visits: perDay.reduce((sum, each) => sum + each.visits, 0),
    days: perDay.map(({ day, submissions, views }) => ({ day, views, submissions })),
    groups: toGroups(groups),
    recent: recent.map((row) => ({ ...row, at: DateTime.makeUnsafe(row.at), device: toDevice(row.device) })),
  } satisfies Counts
})

const topOf = (sql: PgClient.PgClient, workspace: WorkspaceId, { first, last }: Days) => sql<TopTent>`
  select d.tent_id as "tentId", t.name, coalesce(sum(d.views) filter (where d.dimension = 'all'), 0)::int as views,
    coalesce(sum(d.views) filter (where d.dimension = 'visits'), 0)::int as visits
  from page_view_day d join tent t on t.workspace_id = ${workspace} and t.tent_id = d.tent_id
  where d.workspace_id = ${workspace} and d.day between ${first} and ${last} and d.dimension in ('all', 'visits')
  group by d.tent_id, t.name
  order by views desc, d.tent_id limit ${groups_max}`

export const layer = storeLayer(TrafficStore, ({ sql, write, quick }) => ({
  record: (workspace, batch) => write(workspace, recordBatch(sql, workspace, batch)),
  counts: (workspace, tent, days) => quick.read(workspace, (client) => countViews(client, workspace, tent, days)),
  topTents: (workspace, days) => quick.read(workspace, (client) => topOf(client, workspace, days)),
  salt: (day, offered) =>
    Transaction.pipe(
      Effect.andThen(
        // An update without effect returns the existing row.
        orDefect(sql<{ salt: Uint8Array }>`
          insert into visitor_salt as s (day, salt) values (${day}, ${offered})
          on conflict (day) do update set salt = s.salt returning salt`),
      ),
      Effect.map(([row]) => row?.salt ?? offered),
    ),
  forgetSalts: (before) =>
    Transaction.pipe(Effect.andThen(orDefect(sql`delete from visitor_salt where day < ${before}`)), Effect.asVoid),
}))
