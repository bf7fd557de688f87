// `FigureStore` on PostgreSQL. It reads sums only: `migrations/baseline/figures.sql` says how they are written.
import type { PgClient } from "@effect/sql-pg"
import {
  type BlastFigures,
  type DomainFigures,
  domains_max,
  type FigureGroup,
  FigureStore,
  type Grouping,
  groups_max,
  type LinkFigures,
  type QueueFigures,
  type ReasonFigures,
  type TimeRange,
  waiting_max,
} from "@tentpole/core/blasts/figures/FigureStore"
import { type FigurePoint, type Figures, figureNames, type Interval } from "@tentpole/core/sending/Figures"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, Struct } from "effect"
import { fromRow, iso, type RowOf } from "../kernel/Instants.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

/** The sums of rows `f`. */
const sums = figureNames.map((name) => `coalesce(sum(f.${name}), 0)::int as ${name}`).join(", ")

const hasFigures = `(${figureNames.map((name) => `sum(f.${name})`).join(", ")}) <> (${figureNames.map(() => "0").join(", ")})`

const ofBlast = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: BlastId, hourlyUntil: DateTime.Utc) {
  const mine = sql`f.workspace_id = ${workspace} and f.blast_id = ${id}`
  const points = yield* sql<RowOf<FigurePoint>>`
    select case when f.hour < ${iso(hourlyUntil)}::timestamptz then f.hour else date_trunc('day', f.hour, 'UTC') end as at,
      ${sql.literal(sums)}
    from delivery_hour f where ${mine} group by 1 having ${sql.literal(hasFigures)} order by 1`
  const links = yield* sql<LinkFigures>`
    select f.link_index as link, sum(f.recipients)::int as recipients, sum(f.clicks)::int as clicks,
      sum(f.machine_clicks)::int as "machineClicks"
    from delivery_link f where ${mine} group by 1 order by 1`
  const domains = yield* sql<DomainFigures>`
    select f.domain, sum(f.recipients)::int as recipients, ${sql.literal(sums)}
    from delivery_domain f where ${mine} group by 1 having sum(f.recipients) > 0 order by 2 desc, 1 limit ${domains_max}`
  const reasons = yield* sql<ReasonFigures>`
    select f.state, f.reason, f.count, (
      select d.smtp_reply from delivery d
      where d.workspace_id = ${workspace} and d.delivery_id = any(f.samples) and d.reason = f.reason and d.smtp_reply is not null
      order by d.delivery_id limit 1) as "sampleReply"
    from (
      select state, reason, sum(recipients)::int as count, array_agg(sample_id) as samples
      from delivery_reason f where ${mine} group by 1, 2 having sum(recipients) > 0) as f
    order by f.state collate "C" desc, f.count desc, f.reason collate "C"`
  const [flagged] = yield* sql<Pick<BlastFigures, "machineOpened" | "machineClicked">>`
    select coalesce(sum(f.machine_opened), 0)::int as "machineOpened", coalesce(sum(f.machine_clicked), 0)::int as "machineClicked"
    from delivery_hour f where ${mine}`
  const { machineClicked, machineOpened } = flagged ?? { machineOpened: 0, machineClicked: 0 }
  return {
    points: points.map(fromRow<FigurePoint>),
    links,
    domains,
    reasons,
    machineOpened,
    machineClicked,
  } satisfies BlastFigures
})

const ofQueue = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: BlastId, since: DateTime.Utc) {
  const mine = sql`workspace_id = ${workspace} and blast_id = ${id}`
  const waiting = yield* sql<QueueFigures["waiting"][number]>`
    select domain, sum(queued)::int as count from delivery_domain where ${mine}
    group by 1 having sum(queued) > 0 order by 2 desc, 1 limit ${waiting_max}`
  const slots = yield* sql<RowOf<QueueFigures["slots"][number]>>`
    select at, sum(sent)::int as sent from delivery_pace where ${mine} and at >= ${iso(since)}::timestamptz
    group by 1 having sum(sent) > 0 order by 1`
  const [limits] = yield* sql<Omit<QueueFigures, "waiting" | "slots">>`
    select w.sending_per_second as "perSecond_max", w.sending_per_domain_per_second as "perDomainPerSecond_max",
      coalesce((select greatest(0, extract(epoch from clock_timestamp() - u.due_at) * 1000) from due_work u
        where u.kind = 'deliveries' and u.workspace_id = ${workspace}), 0)::float8 as overdue_ms
    from workspace w where w.workspace_id = ${workspace}`
  return {
    waiting,
    slots: slots.map(fromRow<QueueFigures["slots"][number]>),
    ...(limits ?? { perSecond_max: null, perDomainPerSecond_max: null, overdue_ms: 0 }),
  } satisfies QueueFigures
})

const ofTime = (sql: Sql, workspace: WorkspaceId, { from, to }: TimeRange, interval: Interval) =>
  Effect.map(
    sql<RowOf<FigurePoint>>`
      select date_trunc(${interval}, f.hour, 'UTC') as at, ${sql.literal(sums)}
      from delivery_hour f
      where f.workspace_id = ${workspace} and f.hour >= ${iso(from)}::timestamptz and f.hour < ${iso(to)}::timestamptz
      group by 1 having ${sql.literal(hasFigures)} order by 1`,
    (rows) => rows.map(fromRow<FigurePoint>),
  )

interface GroupRow extends Figures {
  readonly key: string
  readonly name: string
}

/** Of blasts, and of steps of flows together under their flow. */
const byOwner = (sql: Sql, workspace: WorkspaceId, { from, to }: TimeRange, by: "blast" | "flow") => sql<GroupRow>`
  with kept as materialized (
    select f.blast_id, ${sql.literal(sums)} from delivery_hour f
    where f.workspace_id = ${workspace} and f.hour >= ${iso(from)}::timestamptz and f.hour < ${iso(to)}::timestamptz
    group by 1 having ${sql.literal(hasFigures)}
  )
  select o.key, o.name, ${sql.literal(sums)}
  from kept f
  join blast b on b.workspace_id = ${workspace} and b.blast_id = f.blast_id
  ${
    by === "blast"
      ? sql`cross join lateral (select b.blast_id as key, b.name where b.purpose = 'blast') as o`
      : sql`join lateral (select w.flow_id as key, w.name from flow w
          where w.workspace_id = ${workspace} and w.flow_id = b.flow_id) as o on true`
  }
  group by 1, 2 order by sent desc, 1 limit ${groups_max}`

const byDomain = (sql: Sql, workspace: WorkspaceId, { from, to }: TimeRange) => sql<GroupRow>`
  select f.domain as key, f.domain as name, ${sql.literal(sums)}
  from delivery_domain f
  where f.workspace_id = ${workspace} and f.day >= (${iso(from)}::timestamptz at time zone 'UTC')::date
    and f.day < (${iso(to)}::timestamptz at time zone 'UTC')::date
  group by 1 having ${sql.literal(hasFigures)} order by sent desc, 1 limit ${groups_max}`

const groups = (sql: Sql, workspace: WorkspaceId, range: TimeRange, by: Exclude<Grouping, "none">) =>
  Effect.map(by === "domain" ? byDomain(sql, workspace, range) : byOwner(sql, workspace, range, by), (rows) =>
    rows.map(({ key, name, ...totals }): FigureGroup => ({ key, name, totals: Struct.pick(totals, figureNames) })),
  )

export const layer = storeLayer(FigureStore, ({ quick }) => ({
  ofBlast: (workspace, id, hourlyUntil) => quick.read(workspace, (sql) => ofBlast(sql, workspace, id, hourlyUntil)),
  ofQueue: (workspace, id, since) => quick.read(workspace, (sql) => ofQueue(sql, workspace, id, since)),
  ofTime: (workspace, range, interval) => quick.read(workspace, (sql) => ofTime(sql, workspace, range, interval)),
  groups: (workspace, range, by) => quick.read(workspace, (sql) => groups(sql, workspace, range, by)),
}))
