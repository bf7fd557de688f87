// When a workspace is to be looked at again, of which nothing could be claimed just now.
import type { PgClient } from "@effect/sql-pg"
import type { TurnEnd } from "@tentpole/core/sending/DeliveryStore"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"

/** A workspace with nothing to send just now is looked at again after this time, whatever happens. */
const look_again_s = 10

interface Left {
  /** Until something is due of a blast that is sending, or a domain's lane is ready. */
  readonly next_s: number | null
  readonly open: boolean
  readonly unfinished: boolean
  readonly now_ms: number
  readonly per_second: number | null
  /** The bucket of the workspace, null where it never needed one. */
  readonly permits: number | null
  readonly at_ms: number | null
}

/** The row of the workspace is locked first: whoever makes it due at the same moment comes before or after, never between. */
export const rest = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId) {
  const held = yield* sql`select 1 from due_work where kind = 'deliveries' and workspace_id = ${workspace} for update`
  const [left] = yield* sql<Left>`
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
      -- the first by its index: whatever has been sent is not walked through
      or (select true from delivery where workspace_id = ${workspace} and phase = 'queued'
        order by blast_id, lane, due_at limit 1) is not null as open,
      exists (select from blast
        where workspace_id = ${workspace} and status = 'sending' and audience_fixed_at is not null) as unfinished,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, w.sending_per_second as per_second,
      l.permits, (extract(epoch from l.filled_at) * 1000)::float8 as at_ms
    from workspace w left join delivery_lane l on l.workspace_id = ${workspace} and l.lane = ''
    where w.workspace_id = ${workspace}`
  const dry = left?.open !== true
  // Without a row there is nothing to note, and a new one may come at any moment: it is not this look's to change.
  if (held.length === 0) return { dry } satisfies TurnEnd
  if (dry && left?.unfinished !== true) {
    yield* sql`delete from due_work where kind = 'deliveries' and workspace_id = ${workspace}`
  } else {
    const wait_s = Math.min(
      look_again_s,
      Math.max(0, left?.next_s ?? look_again_s, left === undefined ? 0 : permit_s(left)),
    )
    yield* sql`
      update due_work set due_at = clock_timestamp() + make_interval(secs => ${wait_s})
      where kind = 'deliveries' and workspace_id = ${workspace}`
  }
  const answer: TurnEnd = { dry }
  return answer
})

/** Until the workspace's bucket has a permit. */
const permit_s = ({ at_ms, now_ms, per_second, permits }: Left): number =>
  per_second === null || permits === null || at_ms === null
    ? 0
    : (Pace.nextPermit_ms({ permits, at_ms, waited: true }, per_second) - now_ms) / 1000
