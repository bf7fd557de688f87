// Claims of deliveries on PostgreSQL: from the common queue, or from the recipient domain queues while domains are limited.
// A claim takes no more deliveries than the workspace's rate bucket has permits. A workspace without limits skips these reads.
import type { PgClient } from "@effect/sql-pg"
import {
  type ClaimedDelivery,
  type ClaimOptions,
  claimed_bytes_max,
  estimateContactBytes,
} from "@tentpole/core/sending/DeliveryStore"
import * as RateLimit from "@tentpole/core/sending/SendRateLimit"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { contactsById } from "../contacts/ContactStore.ts"
import { claimByDomain, claimNext, type ClaimedRow, type ClaimContext } from "./DomainQueues.ts"

type Sql = PgClient.PgClient

interface Limits {
  readonly token: bigint
  readonly sending_per_second: number | null
  readonly sending_per_domain_per_second: number | null
  /** A recipient domain queue has deliveries, whether or not there still is a limit. */
  readonly has_domain_queues: boolean
}

export const claim = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { bytes_max = claimed_bytes_max, lease_ms, limit }: ClaimOptions,
) {
  const [limits] = yield* sql<Limits>`
    select nextval('delivery_token') as token, w.sending_per_second, w.sending_per_domain_per_second, exists (
      select from blast b
      cross join lateral (
        select 1 from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane > '' and q.token is null
        -- the order makes the planner use the index; without it all queued deliveries may be read
        order by q.lane, q.due_at, q.delivery_id
        limit 1) as first
      where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused and not b.restored) as has_domain_queues
    from workspace w where w.workspace_id = ${workspace}`
  if (limits === undefined) return []
  const now = yield* transactionTime(sql)
  const context: ClaimContext = { workspace, now, token: Number(limits.token), lease_ms }
  const paced = limits.sending_per_second !== null || limits.sending_per_domain_per_second !== null
  const { rows, wait_ms } = yield* claimWithinLimit(sql, context, limit, limits)
  const { contacts, left } = yield* contactsWithin(sql, workspace, rows, bytes_max)
  if (left.length > 0) yield* release(sql, context, left)
  const turn_ms = paced && rows.length < limit ? Math.max(RateLimit.turn_ms, wait_ms) : 0
  yield* sql`
    update due_work set due_at = clock_timestamp() + make_interval(secs => ${turn_ms / 1000})
    where kind = 'deliveries' and workspace_id = ${workspace}`
  return rows.slice(0, rows.length - left.length).map(({ contactId, lane: _, ...row }): ClaimedDelivery => ({
    ...row,
    token: context.token,
    rateLimited: paced,
    contact: contacts.get(contactId) ?? null,
  }))
})

interface BucketRow {
  readonly permits: number
  readonly at_ms: number
  readonly waited: boolean
  readonly now_ms: number
}

/** Claims as many deliveries as the workspace's bucket has permits, and returns the wait until the next permit. */
const claimWithinLimit = Effect.fnUntraced(function* (sql: Sql, context: ClaimContext, limit: number, limits: Limits) {
  const { now, workspace } = context
  const per_second = limits.sending_per_second
  if (per_second === null) return { rows: yield* claimQueued(sql, context, limit, limits), wait_ms: 0 }
  yield* sql`
    insert into delivery_lane (workspace_id, lane, permits, filled_at, waited, ready_at)
    values (${workspace}, '', 1, ${now}, false, ${now})
    on conflict do nothing`
  const [bucket] = yield* sql<BucketRow>`
    with bucket as materialized (
      select permits, filled_at, waited from delivery_lane
      where workspace_id = ${workspace} and lane = '' for update skip locked
    )
    select permits, waited, (extract(epoch from filled_at) * 1000)::float8 as at_ms,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
    from bucket`
  // Another claimer has locked the bucket.
  if (bucket === undefined) return { rows: [], wait_ms: RateLimit.turn_ms }
  const { now_ms } = bucket
  const permits = Math.min(limit, RateLimit.availablePermits(bucket, per_second, now_ms))
  if (permits === 0) return { rows: [], wait_ms: RateLimit.nextPermit_ms(bucket, per_second) - now_ms }
  const rows = yield* claimQueued(sql, context, permits, limits)
  const left = RateLimit.takePermits(bucket, per_second, now_ms, rows.length)
  yield* sql`
    update delivery_lane set permits = ${left.permits}, filled_at = to_timestamp(${left.at_ms / 1000}::float8),
      waited = ${left.waited}
    where workspace_id = ${workspace} and lane = ''`
  return { rows, wait_ms: RateLimit.nextPermit_ms(left, per_second) - now_ms }
})

const claimQueued = Effect.fnUntraced(function* (sql: Sql, context: ClaimContext, limit: number, limits: Limits) {
  const per_domain = limits.sending_per_domain_per_second
  if (per_domain === null && !limits.has_domain_queues) return yield* claimCommon(sql, context, limit)
  const byDomain = yield* claimByDomain(sql, context, limit, per_domain)
  if (per_domain !== null || byDomain.length >= limit) return byDomain
  return [...byDomain, ...(yield* claimCommon(sql, context, limit - byDomain.length))]
})

/**
 * Each sending blast with due deliveries gives an equal share, read from its own part of the index. The first blast changes
 * with the token. The rows are locked in a materialised part: in other joins a plan may run the sub-select more than once and
 * exceed its limit. The first due delivery of each blast is found with `order by … limit 1`, not `exists`: without an order,
 * a plan that expects a long queue scans the table from its beginning.
 */
const claimCommon = (sql: Sql, context: ClaimContext, limit: number) =>
  sql<ClaimedRow>`
    with sending as materialized (
      select b.blast_id, count(*) over () as blasts from blast b
      -- only the first of each blast: as a condition, this would read all queued deliveries
      cross join lateral (
        select 1 from delivery_queue q
        where q.workspace_id = ${context.workspace} and q.blast_id = b.blast_id and q.lane = '' and q.token is null
          and q.due_at <= clock_timestamp()
        order by q.due_at, q.delivery_id
        limit 1) as first
      where b.workspace_id = ${context.workspace} and b.status = 'sending' and not b.paused and not b.restored
      order by (row_number() over (order by b.blast_id) + ${context.token}::bigint) % count(*) over ()
    ),
    next as materialized (
      select due.delivery_id
      from sending b
      cross join lateral (
        select q.delivery_id from delivery_queue q
        where q.workspace_id = ${context.workspace} and q.blast_id = b.blast_id and q.lane = '' and q.token is null
          and q.due_at <= clock_timestamp()
        order by q.due_at, q.delivery_id
        limit greatest(1, ${limit} / b.blasts)
        for update skip locked
      ) as due
      limit ${limit}
    ),
    ${claimNext(sql, context)}`

/** Contacts that are read before their average size is known. */
const first_slice = 16

/** Reads contacts until they weigh `bytes_max`: with very large contacts, a claim of the usual size would fill the memory. */
const contactsWithin = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  rows: ReadonlyArray<ClaimedRow>,
  bytes_max: number,
) {
  const contacts = new Map<ContactId, Contact>()
  let read = 0
  let bytes = 0
  let slice = first_slice
  while (read < rows.length && bytes < bytes_max) {
    const ids = rows.slice(read, read + slice).map((row) => row.contactId)
    for (const [id, contact] of yield* contactsById(sql, workspace, ids)) {
      contacts.set(id, contact)
      bytes += estimateContactBytes(contact)
    }
    read += ids.length
    slice = Math.max(1, Math.floor((bytes_max - bytes) / Math.max(1, bytes / read)))
  }
  return { contacts, left: rows.slice(read) }
})

/** Queues again the deliveries whose contacts did not fit, in the transaction of the claim. */
const release = (sql: Sql, { token, workspace }: ClaimContext, rows: ReadonlyArray<ClaimedRow>) => sql`
  update delivery_queue q set state = 'queued', token = null, lease_until = null
  from unnest(${texts(rows.map((row) => row.id))}::uuid[]) as g (id)
  where q.workspace_id = ${workspace} and q.delivery_id = g.id and q.token = ${token}::bigint`
