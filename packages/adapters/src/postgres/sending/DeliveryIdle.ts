// Rescheduling of a workspace from which nothing could be claimed.
import type { PgClient } from "@effect/sql-pg"
import type { TurnEnd } from "@tentpole/core/sending/DeliveryStore"
import * as RateLimit from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"

/** A workspace with nothing to send now is checked again after this time at the latest. */
const recheck_s = 10

interface QueueState {
  /** Seconds until a delivery of a sending blast is due or a recipient domain queue is ready. */
  readonly next_s: number | null
  readonly open: boolean
  readonly unfinished: boolean
  readonly now_ms: number
  readonly per_second: number | null
  /** The permits of the workspace's rate bucket; null when it has no bucket. */
  readonly permits: number | null
  readonly at_ms: number | null
}

/** Locks the workspace's `due_work` row first: a transaction that makes the workspace due runs before or after, never between. */
export const rescheduleWorkspace = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId) {
  const locked = yield* sql`select 1 from due_work where kind = 'deliveries' and workspace_id = ${workspace} for update`
  const [state] = yield* sql<QueueState>`
    select
      extract(epoch from least(
        (select min(next.due_at) from blast b
         cross join lateral (
           select d.due_at from delivery d
           where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane = '' and d.phase = 'queued'
           order by d.due_at limit 1) as next
         where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused),
        (select min(ready_at) from delivery_lane
         where workspace_id = ${workspace} and lane <> '' and ready_at < 'infinity')) - clock_timestamp())::float8 as next_s,
      exists (select from delivery
        where workspace_id = ${workspace} and phase = 'leased')
      -- the first one by the index, so that sent deliveries are not scanned
      or (select true from delivery where workspace_id = ${workspace} and phase = 'queued'
        order by blast_id, lane, due_at limit 1) is not null as open,
      exists (select from blast
        where workspace_id = ${workspace} and status = 'sending' and audience_fixed_at is not null) as unfinished,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, w.sending_per_second as per_second,
      l.permits, (extract(epoch from l.filled_at) * 1000)::float8 as at_ms
    from workspace w left join delivery_lane l on l.workspace_id = ${workspace} and l.lane = ''
    where w.workspace_id = ${workspace}`
  const isEmpty = state?.open !== true
  // There is no row to update. A concurrent transaction may insert one, and this call must not change it.
  if (locked.length === 0) return { dry: isEmpty } satisfies TurnEnd
  if (isEmpty && state?.unfinished !== true) {
    yield* sql`delete from due_work where kind = 'deliveries' and workspace_id = ${workspace}`
  } else {
    const wait_s = Math.min(
      recheck_s,
      Math.max(0, state?.next_s ?? recheck_s, state === undefined ? 0 : permit_s(state)),
    )
    yield* sql`
      update due_work set due_at = clock_timestamp() + make_interval(secs => ${wait_s})
      where kind = 'deliveries' and workspace_id = ${workspace}`
  }
  return { dry: isEmpty } satisfies TurnEnd
})

/** Seconds until the workspace's bucket has a permit. */
const permit_s = ({ at_ms, now_ms, per_second, permits }: QueueState): number =>
  per_second === null || permits === null || at_ms === null
    ? 0
    : (RateLimit.nextPermit_ms({ permits, at_ms, waited: true }, per_second) - now_ms) / 1000
