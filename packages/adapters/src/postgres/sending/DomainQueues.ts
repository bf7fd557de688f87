// Recipient domain queues on PostgreSQL, one for each domain while a workspace limits messages per domain, each with a rate
// bucket. A claim reads only the queues that are ready and never scans one that has to wait.
import type { PgClient } from "@effect/sql-pg"
import * as RateLimit from "@tentpole/core/sending/SendRateLimit"
import type { ClaimedDelivery } from "@tentpole/core/sending/DeliveryStore"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { booleans, floats, ints, texts } from "../kernel/Arrays.ts"

type Sql = PgClient.PgClient

/** A claimed delivery without its contact. */
export interface ClaimedRow extends Omit<ClaimedDelivery, "token" | "rateLimited" | "contact" | "message"> {
  readonly contactId: ContactId | null
  readonly lane: string
}

/**
 * Claims the rows `next (delivery_id)` of a `with`. The lateral part with its limit is a look-up of each delivery by its key: no
 * plan then reads all deliveries, whatever the statistics are.
 */
export const claimNext = (sql: Sql, { lease_ms, now, token, workspace }: ClaimContext) => sql`
  claimed as (
    update delivery_queue q set state = 'claimed', token = ${token}::bigint,
      lease_until = ${now} + make_interval(secs => ${lease_ms / 1000})
    from next where q.workspace_id = ${workspace} and q.delivery_id = next.delivery_id
    returning q.delivery_id, q.blast_id, q.contact_id, q.operational, q.lane
  )
  select q.delivery_id as id, q.blast_id as "blastId", d.tokens, q.contact_id as "contactId", d.approval_id as "approvalId",
    d.topic_id as "topicId", q.operational, d.email as address, d.attempts, q.lane
  from claimed q
  cross join lateral (
    select tokens, approval_id, topic_id, email, attempts from delivery
    where workspace_id = ${workspace} and delivery_id = q.delivery_id limit 1) as d`

/** The workspace, time, fencing token and lease of a claim in progress. */
export interface ClaimContext {
  readonly workspace: WorkspaceId
  readonly now: Statement.Fragment
  readonly token: number
  readonly lease_ms: number
}

/** Deliveries queued before the limit was set that one claim moves into their domain queues at most. */
const moved_max = 5000
/** A queue that was found empty is checked again for deliveries after this time at the latest. */
const recheck_s = 5
/** The same, when no other queue is about to be ready. */
const idle_recheck_s = 1

/** Of a blast of the workspace: whether it may send now. */
const isSending = (sql: Sql, workspace: WorkspaceId) =>
  sql`workspace_id = ${workspace} and status = 'sending' and not paused and not restored`

/** `sending`: the blasts that may send now, for a `with`. */
const sending = (sql: Sql, workspace: WorkspaceId) => sql`
  sending as materialized (select blast_id from blast where ${isSending(sql, workspace)})`

interface ReadyQueue {
  readonly lane: string
  readonly permits: number
  readonly at_ms: number
  readonly waited: boolean
  readonly now_ms: number
}

/** Claims up to `limit` due deliveries, from each domain what its bucket permits. Without a domain limit: equal shares. */
export const claimByDomain = Effect.fnUntraced(function* (
  sql: Sql,
  context: ClaimContext,
  limit: number,
  per_second: number | null,
) {
  const moved = per_second === null ? 0 : yield* moveToQueues(sql, context.workspace)
  yield* findQueues(sql, context, moved > 0)
  const queues = yield* lockReadyQueues(sql, context.workspace, limit, per_second === null ? permit_wait_max_s : 0)
  if (queues.length === 0) return []
  const share = Math.max(1, Math.floor(limit / queues.length))
  const quotas = queues.map((lane) =>
    per_second === null ? share : Math.min(share, RateLimit.availablePermits(bucketOf(lane), per_second, lane.now_ms)),
  )
  const rows = yield* claimQuotas(sql, context, queues, quotas)
  const counts = new Map<string, number>()
  for (const { lane } of rows) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  const after = queues.map((lane, at): QueueUpdate => {
    const bucket = bucketOf(lane)
    const count = counts.get(lane.lane) ?? 0
    const tried = (quotas[at] ?? 0) > 0
    const left = per_second === null || !tried ? bucket : RateLimit.takePermits(bucket, per_second, lane.now_ms, count)
    const ready_ms = per_second === null ? lane.now_ms : RateLimit.nextPermit_ms(left, per_second)
    return { lane: lane.lane, bucket: left, ready_ms: tried && count === 0 ? null : ready_ms }
  })
  yield* updateQueues(sql, context.workspace, after, queues[0]?.now_ms ?? 0)
  return rows
})

const bucketOf = ({ at_ms, permits, waited }: ReadyQueue): RateLimit.RateBucket => ({ at_ms, permits, waited })

/** Returns how many were moved. Rows that another claimer has locked are skipped. */
const moveToQueues = (sql: Sql, workspace: WorkspaceId) =>
  Effect.map(
    sql`
      with ${sending(sql, workspace)},
      common as materialized (
        select unsorted.delivery_id
        from sending b
        cross join lateral (
          select q.delivery_id from delivery_queue q
          where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane = '' and q.token is null
          order by q.due_at, q.delivery_id
          limit ${moved_max}
          for update skip locked
        ) as unsorted
        limit ${moved_max}
      )
      update delivery_queue q set lane = coalesce(split_part(q.email_normalized, '@', -1), 'unknown')
      from common where q.workspace_id = ${workspace} and q.delivery_id = common.delivery_id
      returning 1`,
    (rows) => rows.length,
  )

/**
 * Finds the domain queues that have deliveries, with an index scan that jumps from one lane to the next. Queues that are known
 * to be ready soon are not changed. Rows of queues that have been empty for a minute are deleted.
 */
const findQueues = Effect.fnUntraced(function* (sql: Sql, { now, workspace }: ClaimContext, at_once: boolean) {
  const [known] = yield* sql<{ readonly ready_at: string; readonly due: boolean }>`
    select ready_at::text, ${at_once}::boolean or ready_at <= ${now}
        or ready_at <= ${now} + make_interval(secs => ${recheck_s - idle_recheck_s})
          and not exists (select from delivery_lane where workspace_id = ${workspace} and lane <> ''
            and ready_at <= ${now} + interval '1 s') as due
    from delivery_lane where workspace_id = ${workspace} and lane = ''`
  if (known?.due === false) return
  // Of two claimers, the second finds that the time has moved.
  const mine = yield* sql`
    insert into delivery_lane as l (workspace_id, lane, permits, filled_at, waited, ready_at)
    values (${workspace}, '', 1, ${now}, false, ${now} + make_interval(secs => ${recheck_s}))
    on conflict (workspace_id, lane) do update set ready_at = excluded.ready_at
    where l.ready_at = ${known?.ready_at ?? null}::timestamptz
    returning 1`
  if (mine.length === 0) return
  yield* sql`
    delete from delivery_lane where workspace_id = ${workspace} and lane <> '' and ready_at = 'infinity'
      and filled_at < ${now} - interval '1 min'`
  const found = yield* sql<{ readonly lane: string; readonly due_at: string }>`
    with recursive found as (
      select b.blast_id, first.lane, first.due_at
      from (select blast_id from blast where ${isSending(sql, workspace)}) as b
      cross join lateral (
        select q.lane, q.due_at from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane > '' and q.token is null
        order by q.lane, q.due_at limit 1) as first
      union all
      select f.blast_id, next.lane, next.due_at
      from found f
      cross join lateral (
        select q.lane, q.due_at from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = f.blast_id and q.lane > f.lane and q.token is null
        order by q.lane, q.due_at limit 1) as next
    ),
    due as (select lane, min(due_at) as due_at from found group by lane)
    select due.lane, due.due_at::text from due
    where not exists (select from delivery_lane known where known.workspace_id = ${workspace} and known.lane = due.lane
      and known.ready_at <= greatest(due.due_at, ${now} + interval '1 s'))
    order by due.lane`
  if (found.length === 0) return
  yield* sql`
    insert into delivery_lane as l (workspace_id, lane, permits, filled_at, waited, ready_at)
    select ${workspace}, due.lane, 1, ${now}, false, due.due_at
    from unnest(${texts(found.map(({ lane }) => lane))}::text[], ${texts(found.map((each) => each.due_at))}::timestamptz[])
      as due (lane, due_at)
    order by due.lane
    on conflict (workspace_id, lane) do update set ready_at = least(l.ready_at, excluded.ready_at)`
})

/** The lowest limit is one message a second. After a limit is removed, no delivery waits longer than this for an old permit. */
const permit_wait_max_s = 1

/** Locks ready queues, the longest waiting first. Queues that another claimer has locked are skipped. */
const lockReadyQueues = (sql: Sql, workspace: WorkspaceId, limit: number, early_s: number) => sql<ReadyQueue>`
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

/** Claims the quota of each queue, taking turns between the blasts. */
const claimQuotas = (
  sql: Sql,
  context: ClaimContext,
  queues: ReadonlyArray<ReadyQueue>,
  quotas: ReadonlyArray<number>,
) => sql<ClaimedRow>`
  with sending as materialized (
    select blast_id, purpose = 'messages' as is_line,
      (row_number() over (order by blast_id) + ${context.token}::bigint) % count(*) over () as turn from blast
    where workspace_id = ${context.workspace} and status = 'sending' and not paused and not restored
  ),
  next as materialized (
    select chosen.delivery_id
    from unnest(${texts(queues.map(({ lane }) => lane))}::text[], ${ints(quotas)}::int[]) as wanted (lane, quota)
    cross join lateral (
      select due.delivery_id
      from sending b
      cross join lateral (
        select locked.delivery_id, row_number() over (order by locked.due_at, locked.delivery_id) as nth
        from (
          select q.delivery_id, q.due_at from delivery_queue q
          where q.workspace_id = ${context.workspace} and q.blast_id = b.blast_id and q.lane = wanted.lane and q.token is null
            and q.due_at <= clock_timestamp()
          order by q.due_at, q.delivery_id
          limit wanted.quota
          for update skip locked
        ) as locked
      ) as due
      order by b.is_line desc, due.nth, b.turn
      limit wanted.quota
    ) as chosen
  ),
  ${claimNext(sql, context)}`

interface QueueUpdate {
  readonly lane: string
  readonly bucket: RateLimit.RateBucket
  /** Null: no delivery was due; the queue is ready when one is. */
  readonly ready_ms: number | null
}

const updateQueues = (sql: Sql, workspace: WorkspaceId, queues: ReadonlyArray<QueueUpdate>, now_ms: number) => sql`
  with ${sending(sql, workspace)}
  update delivery_lane l set permits = g.permits, filled_at = to_timestamp(g.at_ms / 1000), waited = g.waited,
    ready_at = case when g.ready_ms is not null then to_timestamp(g.ready_ms / 1000) else coalesce((
      select greatest(min(next.due_at), to_timestamp(${(now_ms + idle_recheck_s * 1000) / 1000}::float8))
      from sending b
      cross join lateral (
        select q.due_at from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane = g.lane and q.token is null
        order by q.due_at limit 1) as next), 'infinity') end
  from unnest(${texts(queues.map(({ lane }) => lane))}::text[],
    ${floats(queues.map(({ bucket }) => bucket.permits))}::float8[],
    ${floats(queues.map(({ bucket }) => bucket.at_ms))}::float8[],
    ${booleans(queues.map(({ bucket }) => bucket.waited))}::boolean[],
    ${floats(queues.map(({ ready_ms }) => ready_ms))}::float8[])
    as g (lane, permits, at_ms, waited, ready_ms)
  where l.workspace_id = ${workspace} and l.lane = g.lane`
