// How deliveries are claimed on PostgreSQL: from the common lane, or from those of domains where these have a limit, and never
// more than the workspace's bucket has permits for. A workspace without limits pays for none.
import type { PgClient } from "@effect/sql-pg"
import { type ClaimedDelivery, type ClaimOptions, claimed_bytes_max } from "@tentpole/core/sending/DeliveryStore"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { estimateContactBytes } from "@tentpole/core/sending/ContactWeight"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { ApprovalId, BlastId, type ContactId, DeliveryId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { type ClaimedRow, claimedColumns, type Claiming } from "./ClaimedRows.ts"
import { contactsById } from "../contacts/ContactStore.ts"
import { takeByLanes } from "./DomainQueues.ts"

interface Limits {
  readonly token: bigint
  readonly sending_per_second: number | null
  readonly sending_per_domain_per_second: number | null
  /** Somebody stands in a domain's lane, whether or not there is a limit (any more). */
  readonly laned: boolean
}

export const claim = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { bytes_max = claimed_bytes_max, lease_ms, limit }: ClaimOptions,
) {
  const [limits] = yield* sql<Limits>`
    select nextval('delivery_token') as token, w.sending_per_second, w.sending_per_domain_per_second, exists (
      select from blast b
      cross join lateral (
        select 1 from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane > '' and d.phase = 'queued'
        -- in this order, or all that is queued may be read to find that nobody is there
        order by d.lane, d.due_at, d.delivery_id
        limit 1) as somebody
      where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused) as laned
    from workspace w where w.workspace_id = ${workspace}`
  if (limits === undefined) return []
  const claiming: Claiming = { workspace, token: Number(limits.token), lease_ms }
  const paced = limits.sending_per_second !== null || limits.sending_per_domain_per_second !== null
  const { rows, wait_ms } = yield* takePaced(sql, claiming, limit, limits)
  const { contacts, left } = yield* contactsWithin(sql, workspace, rows, bytes_max)
  if (left.length > 0) yield* release(sql, claiming, left)
  const turn_ms = paced && rows.length < limit ? Math.max(Pace.turn_ms, wait_ms) : 0
  yield* sql`
    update due_work set due_at = clock_timestamp() + make_interval(secs => ${turn_ms / 1000})
    where kind = 'deliveries' and workspace_id = ${workspace}`
  return rows.slice(0, rows.length - left.length).map((row): ClaimedDelivery => ({
    id: DeliveryId.make(row.delivery_id),
    token: claiming.token,
    attempts: row.attempts,
    rateLimited: paced,
    blastId: BlastId.make(row.blast_id),
    tokens: row.tokens,
    approvalId: ApprovalId.make(row.approval_id),
    operational: row.operational,
    address: row.email,
    contact: contacts.get(row.contact_id) ?? null,
  }))
})

interface BucketRow {
  readonly permits: number
  readonly at_ms: number
  readonly waited: boolean
  readonly now_ms: number
}

/** As many as the workspace's bucket has permits for, and how long it will be until it has another one. */
const takePaced = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  claiming: Claiming,
  limit: number,
  limits: Limits,
) {
  const { workspace } = claiming
  const per_second = limits.sending_per_second
  if (per_second === null) return { rows: yield* take(sql, claiming, limit, limits), wait_ms: 0 }
  yield* sql`
    insert into delivery_lane (workspace_id, lane, permits, filled_at, waited, ready_at)
    values (${workspace}, '', 1, clock_timestamp(), false, clock_timestamp())
    on conflict do nothing`
  const [bucket] = yield* sql<BucketRow>`
    with bucket as materialized (
      select permits, filled_at, waited from delivery_lane
      where workspace_id = ${workspace} and lane = '' for update skip locked
    )
    select permits, waited, (extract(epoch from filled_at) * 1000)::float8 as at_ms,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
    from bucket`
  // Another claimer takes from it at this moment.
  if (bucket === undefined) return { rows: [], wait_ms: Pace.turn_ms }
  const { now_ms } = bucket
  const permits = Math.min(limit, Pace.availablePermits(bucket, per_second, now_ms))
  if (permits === 0) return { rows: [], wait_ms: Pace.nextPermit_ms(bucket, per_second) - now_ms }
  const rows = yield* take(sql, claiming, permits, limits)
  const left = Pace.takePermits(bucket, per_second, now_ms, rows.length)
  yield* sql`
    update delivery_lane set permits = ${left.permits}, filled_at = to_timestamp(${left.at_ms / 1000}::float8),
      waited = ${left.waited}
    where workspace_id = ${workspace} and lane = ''`
  return { rows, wait_ms: Pace.nextPermit_ms(left, per_second) - now_ms }
})

const take = Effect.fnUntraced(function* (sql: PgClient.PgClient, claiming: Claiming, limit: number, limits: Limits) {
  const per_domain = limits.sending_per_domain_per_second
  if (per_domain === null && !limits.laned) return yield* takeCommon(sql, claiming, limit)
  const laned = yield* takeByLanes(sql, claiming, limit, per_domain)
  if (per_domain !== null || laned.length >= limit) return laned
  return [...laned, ...(yield* takeCommon(sql, claiming, limit - laned.length))]
})

/**
 * Every sending blast that has something due gives an equal share, each from its own end of the index, each the first to
 * give at its turn. The rows are locked in a materialised part: joined in any other way, a plan may run the sub-select more
 * than once and exceed its limit. Whether something is due is asked by its first one: `exists` knows no order, and a plan
 * that takes the queue for long finds one by reading the table from its beginning, where all that was sent stands.
 */
const takeCommon = (sql: PgClient.PgClient, { lease_ms, token, workspace }: Claiming, limit: number) =>
  sql<ClaimedRow>`
    with sending as materialized (
      select b.blast_id, count(*) over () as blasts from blast b
      -- the first of each and no more: as a condition, all that is queued would be read
      cross join lateral (
        select 1 from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane = '' and d.phase = 'queued'
          and d.due_at <= clock_timestamp()
        order by d.due_at, d.delivery_id
        limit 1) as first
      where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused
      order by (row_number() over (order by b.blast_id) + ${token}::bigint) % count(*) over ()
    ),
    next as materialized (
      select due.delivery_id
      from sending b
      cross join lateral (
        select d.delivery_id from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.lane = '' and d.phase = 'queued'
          and d.due_at <= clock_timestamp()
        order by d.due_at, d.delivery_id
        limit greatest(1, ${limit} / b.blasts)
        for update skip locked
      ) as due
      limit ${limit}
    )
    update delivery d set state = 'claimed', token = ${token}::bigint,
      lease_until = clock_timestamp() + make_interval(secs => ${lease_ms / 1000})
    from next where d.workspace_id = ${workspace} and d.delivery_id = next.delivery_id
    returning ${claimedColumns(sql)}`

/** Contacts that are read before it is known how large they are. */
const first_slice = 16

/** Reads contacts until they weigh `bytes_max`: so large may contacts be that a claim of usual size would fill the memory. */
const contactsWithin = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  rows: ReadonlyArray<ClaimedRow>,
  bytes_max: number,
) {
  const contacts = new Map<ContactId, Contact>()
  let read = 0
  let bytes = 0
  let slice = first_slice
  while (read < rows.length && bytes < bytes_max) {
    const ids = rows.slice(read, read + slice).map((row) => row.contact_id)
    for (const [id, contact] of yield* contactsById(sql, workspace, ids)) {
      contacts.set(id, contact)
      bytes += estimateContactBytes(contact)
    }
    read += ids.length
    slice = Math.max(1, Math.floor((bytes_max - bytes) / Math.max(1, bytes / read)))
  }
  return { contacts, left: rows.slice(read) }
})

/** Back into the queue with those whose contacts there is no room for, in the claim's own transaction. */
const release = (sql: PgClient.PgClient, { token, workspace }: Claiming, rows: ReadonlyArray<ClaimedRow>) => sql`
  update delivery d set state = 'queued', token = null, lease_until = null
  from unnest(${texts(rows.map((row) => row.delivery_id))}::uuid[]) as g (id)
  where d.workspace_id = ${workspace} and d.delivery_id = g.id and d.token = ${token}::bigint`
