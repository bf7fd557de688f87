// Where a workspace limits how fast its recipients' domains are sent to, each domain has a lane of its own, with a bucket of
// permits. A claim looks into the lanes that are ready and into no other: one that has to wait is never walked through.
import type { PgClient } from "@effect/sql-pg"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { booleans, floats, ints, texts } from "../kernel/Arrays.ts"
import { type ClaimedRow, claimedColumns, type Claiming } from "./ClaimedRows.ts"

/** Deliveries that were queued before there was a limit: so many move into their lanes with a claim. */
const sorted_max = 5000
/** What comes back into a lane that was found empty is seen after this time at the latest, */
const looked_for_every_s = 5
/** or after this one, when no lane is about to be ready. */
const looked_for_idle_s = 1

/** The blasts of which something may be sent, for a `with`. */
const sending = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql`
  sending as materialized (
    select blast_id from blast where workspace_id = ${workspace} and status = 'sending' and not paused
  )`

interface ReadyLane {
  readonly lane: string
  readonly permits: number
  readonly at_ms: number
  readonly waited: boolean
  readonly now_ms: number
}

/** Takes up to `limit` due deliveries, of each domain what its bucket has; without a limit of domains, equal shares. */
export const takeByLanes = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  claiming: Claiming,
  limit: number,
  per_second: number | null,
) {
  const sorted = per_second === null ? 0 : yield* sortIn(sql, claiming.workspace)
  yield* lookForLanes(sql, claiming.workspace, sorted > 0)
  const lanes = yield* readyLanes(sql, claiming.workspace, limit, per_second === null ? permit_wait_max_s : 0)
  if (lanes.length === 0) return []
  const share = Math.max(1, Math.floor(limit / lanes.length))
  const quotas = lanes.map((lane) =>
    per_second === null ? share : Math.min(share, Pace.availablePermits(bucketOf(lane), per_second, lane.now_ms)),
  )
  const rows = yield* takeQuotas(sql, claiming, lanes, quotas)
  const counts = new Map<string, number>()
  for (const { lane } of rows) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  const after = lanes.map((lane, at): LaneAfter => {
    const bucket = bucketOf(lane)
    const count = counts.get(lane.lane) ?? 0
    const tried = (quotas[at] ?? 0) > 0
    const left = per_second === null || !tried ? bucket : Pace.takePermits(bucket, per_second, lane.now_ms, count)
    const ready_ms = per_second === null ? lane.now_ms : Pace.nextPermit_ms(left, per_second)
    return { lane: lane.lane, bucket: left, ready_ms: tried && count === 0 ? null : ready_ms }
  })
  yield* leaveLanes(sql, claiming.workspace, after)
  return rows
})

const bucketOf = ({ at_ms, permits, waited }: ReadyLane): Pace.RateBucket => ({ at_ms, permits, waited })

/** Answers how many were moved. Rows that another claimer moves are left to it. */
const sortIn = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.map(
    sql`
      with ${sending(sql, workspace)},
      common as materialized (
        select unsorted.delivery_id
        from sending b
        cross join lateral (
          select d.delivery_id from delivery d
          where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane = '' and d.phase = 'queued'
          order by d.due_at, d.delivery_id
          limit ${sorted_max}
          for update skip locked
        ) as unsorted
        limit ${sorted_max}
      )
      update delivery d set lane = d.email_domain
      from common where d.workspace_id = ${workspace} and d.delivery_id = common.delivery_id
      returning 1`,
    (rows) => rows.length,
  )

/**
 * Finds the lanes that somebody stands in, whatever has put them there, by leaping from one to the next in the index. Those
 * that are known to be ready soon are left alone; those that nobody has stood in for a while are forgotten.
 */
const lookForLanes = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, at_once: boolean) {
  const looks = yield* sql`
    insert into delivery_lane as l (workspace_id, lane, permits, filled_at, waited, ready_at)
    values (${workspace}, '', 1, clock_timestamp(), false, clock_timestamp() + make_interval(secs => ${looked_for_every_s}))
    on conflict (workspace_id, lane) do update set ready_at = excluded.ready_at
    where ${at_once}::boolean or l.ready_at <= clock_timestamp() or l.ready_at <= clock_timestamp()
        + make_interval(secs => ${looked_for_every_s - looked_for_idle_s})
      and not exists (select from delivery_lane soon where soon.workspace_id = ${workspace} and soon.lane <> ''
        and soon.ready_at <= clock_timestamp() + interval '1 s')
    returning 1`
  if (looks.length === 0) return
  yield* sql`
    delete from delivery_lane where workspace_id = ${workspace} and lane <> '' and ready_at = 'infinity'
      and filled_at < clock_timestamp() - interval '1 min'`
  yield* sql`
    with recursive ${sending(sql, workspace)},
    found as (
      select b.blast_id, first.lane, first.due_at
      from sending b
      cross join lateral (
        select d.lane, d.due_at from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane > '' and d.phase = 'queued'
        order by d.lane, d.due_at limit 1) as first
      union all
      select f.blast_id, next.lane, next.due_at
      from found f
      cross join lateral (
        select d.lane, d.due_at from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = f.blast_id and d.lane > f.lane and d.phase = 'queued'
        order by d.lane, d.due_at limit 1) as next
    ),
    due as (select lane, min(due_at) as due_at from found group by lane)
    insert into delivery_lane as l (workspace_id, lane, permits, filled_at, waited, ready_at)
    select ${workspace}, due.lane, 1, clock_timestamp(), false, due.due_at
    from due
    where not exists (select from delivery_lane known where known.workspace_id = ${workspace} and known.lane = due.lane
      and known.ready_at <= greatest(due.due_at, clock_timestamp() + interval '1 s'))
    order by due.lane
    on conflict (workspace_id, lane) do update set ready_at = least(l.ready_at, excluded.ready_at)`
})

/** Limits are one a second at least. Where there is none any more, nobody waits for the permit of before. */
const permit_wait_max_s = 1

/** Locked, those that wait longest first. What another claimer holds is its own. */
const readyLanes = (sql: PgClient.PgClient, workspace: WorkspaceId, limit: number, early_s: number) => sql<ReadyLane>`
  with ready as materialized (
    select lane, permits, filled_at, waited from delivery_lane
    where workspace_id = ${workspace} and lane <> '' and ready_at <= clock_timestamp() + make_interval(secs => ${early_s})
    order by ready_at
    limit ${limit}
    for update skip locked
  )
  select lane, permits, waited, (extract(epoch from filled_at) * 1000)::float8 as at_ms,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
  from ready`

/** Of each lane its quota, from the blasts by turns. */
const takeQuotas = (
  sql: PgClient.PgClient,
  { lease_ms, token, workspace }: Claiming,
  lanes: ReadonlyArray<ReadyLane>,
  quotas: ReadonlyArray<number>,
) => sql<ClaimedRow>`
  with sending as materialized (
    select blast_id, (row_number() over (order by blast_id) + ${token}::bigint) % count(*) over () as turn from blast
    where workspace_id = ${workspace} and status = 'sending' and not paused
  ),
  next as materialized (
    select chosen.delivery_id
    from unnest(${texts(lanes.map(({ lane }) => lane))}::text[], ${ints(quotas)}::int[]) as asked (lane, quota)
    cross join lateral (
      select due.delivery_id
      from sending b
      cross join lateral (
        select locked.delivery_id, row_number() over (order by locked.due_at, locked.delivery_id) as nth
        from (
          select d.delivery_id, d.due_at from delivery d
          where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane = asked.lane and d.phase = 'queued'
            and d.due_at <= clock_timestamp()
          order by d.due_at, d.delivery_id
          limit asked.quota
          for update skip locked
        ) as locked
      ) as due
      order by due.nth, b.turn
      limit asked.quota
    ) as chosen
  )
  update delivery d set state = 'claimed', token = ${token}::bigint,
    lease_until = clock_timestamp() + make_interval(secs => ${lease_ms / 1000})
  from next where d.workspace_id = ${workspace} and d.delivery_id = next.delivery_id
  returning ${claimedColumns(sql)}`

interface LaneAfter {
  readonly lane: string
  readonly bucket: Pace.RateBucket
  /** Null: nothing was due in it; it is ready when something is. */
  readonly ready_ms: number | null
}

const leaveLanes = (sql: PgClient.PgClient, workspace: WorkspaceId, lanes: ReadonlyArray<LaneAfter>) => sql`
  with ${sending(sql, workspace)}
  update delivery_lane l set permits = g.permits, filled_at = to_timestamp(g.at_ms / 1000), waited = g.waited,
    ready_at = case when g.ready_ms is not null then to_timestamp(g.ready_ms / 1000) else coalesce((
      select greatest(min(next.due_at), clock_timestamp() + interval '1 s')
      from sending b
      cross join lateral (
        select d.due_at from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane = g.lane and d.phase = 'queued'
        order by d.due_at limit 1) as next), 'infinity') end
  from unnest(${texts(lanes.map(({ lane }) => lane))}::text[],
    ${floats(lanes.map(({ bucket }) => bucket.permits))}::float8[],
    ${floats(lanes.map(({ bucket }) => bucket.at_ms))}::float8[],
    ${booleans(lanes.map(({ bucket }) => bucket.waited))}::boolean[],
    ${floats(lanes.map(({ ready_ms }) => ready_ms))}::float8[])
    as g (lane, permits, at_ms, waited, ready_ms)
  where l.workspace_id = ${workspace} and l.lane = g.lane`
