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
import type { BlastId, ContactId, DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { strangerOf } from "@tentpole/core/sending/messages/MessageContent"
import { estimateMessageBytes, type LoadedMessage, loadMessages } from "../messages/MessageLine.ts"
import { texts } from "../kernel/Arrays.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { contactsById } from "../contacts/ContactStore.ts"
import { claimByDomain, claimNext, type ClaimedRow, type ClaimContext } from "./DomainQueues.ts"

type Sql = PgClient.PgClient

interface WorkspaceLimits {
  readonly token: bigint
  readonly sending_per_second: number | null
  readonly sending_per_domain_per_second: number | null
}

interface Limits extends WorkspaceLimits {
  /** A recipient domain queue has deliveries, whether or not there still is a limit. */
  readonly has_domain_queues: boolean
  /** The line of single messages; null: the workspace has sent none. */
  readonly line: BlastId | null
}

/** What a claim is for. Where a limit holds for all mail of the workspace, single messages go first in both. */
type ClaimedKind = "deliveries" | "messages"

export const claim = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { bytes_max = claimed_bytes_max, lease_ms, limit }: ClaimOptions,
  kind: ClaimedKind,
) {
  const [own] = yield* sql<WorkspaceLimits>`
    select nextval('delivery_token') as token, w.sending_per_second, w.sending_per_domain_per_second
    from workspace w where w.workspace_id = ${workspace}`
  if (own === undefined) return []
  const [queues] = yield* sql<Omit<Limits, keyof WorkspaceLimits>>`
    select (select blast_id from blast where workspace_id = ${workspace} and purpose = 'messages' and not restored) as line, exists (
      select from blast b
      cross join lateral (
        select 1 from delivery_queue q
        where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane > '' and q.token is null
        -- the order makes the planner use the index; without it all queued deliveries may be read
        order by q.lane, q.due_at, q.delivery_id
        limit 1) as first
      where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused and not b.restored) as has_domain_queues`
  const limits: Limits = { line: null, has_domain_queues: false, ...queues, ...own }
  const now = yield* transactionTime(sql)
  const context: ClaimContext = { workspace, now, token: Number(limits.token), lease_ms }
  const paced = limits.sending_per_second !== null || limits.sending_per_domain_per_second !== null
  const claimed = { kind, limits, limit }
  const { rows, wait_ms } = yield* claimWithinLimit(sql, context, claimed)
  const { contacts, left, messages } = yield* readWithin(sql, workspace, rows, { bytes_max, line: limits.line })
  if (left.length > 0) yield* release(sql, context, left)
  const turn_ms = paced && rows.length < limit ? Math.max(RateLimit.turn_ms, wait_ms) : 0
  if (kind === "deliveries") {
    yield* sql`
      update due_work set due_at = ${now} + make_interval(secs => ${turn_ms / 1000})
      where kind = 'deliveries' and workspace_id = ${workspace}`
  }
  return rows.slice(0, rows.length - left.length).map(({ contactId, lane: _, ...row }): ClaimedDelivery => {
    const { id, address } = row
    const message = messages.get(id) ?? null
    const contact =
      contactId === null && message !== null
        ? strangerOf(id, message.createdAt, address, message.toName)
        : (contacts.get(contactId) ?? null)
    return { ...row, token: context.token, rateLimited: paced, contact, message }
  })
})

interface Claimed {
  readonly kind: ClaimedKind
  readonly limits: Limits
  readonly limit: number
}

interface BucketRow {
  readonly permits: number
  readonly at_ms: number
  readonly waited: boolean
  readonly now_ms: number
}

/** Claims as many deliveries as the workspace's bucket has permits, and returns the wait until the next permit. */
const claimWithinLimit = Effect.fnUntraced(function* (sql: Sql, context: ClaimContext, claimed: Claimed) {
  const { now, workspace } = context
  const per_second = claimed.limits.sending_per_second
  if (per_second === null) return { rows: yield* claimQueued(sql, context, claimed), wait_ms: 0 }
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
  const permits = Math.min(claimed.limit, RateLimit.availablePermits(bucket, per_second, now_ms))
  if (permits === 0) return { rows: [], wait_ms: RateLimit.nextPermit_ms(bucket, per_second) - now_ms }
  const rows = yield* claimQueued(sql, context, { ...claimed, limit: permits })
  const left = RateLimit.takePermits(bucket, per_second, now_ms, rows.length)
  yield* sql`
    update delivery_lane set permits = ${left.permits}, filled_at = to_timestamp(${left.at_ms / 1000}::float8),
      waited = ${left.waited}
    where workspace_id = ${workspace} and lane = ''`
  return { rows, wait_ms: RateLimit.nextPermit_ms(left, per_second) - now_ms }
})

const claimQueued = Effect.fnUntraced(function* (sql: Sql, context: ClaimContext, claimed: Claimed) {
  const { limit, limits } = claimed
  const per_domain = limits.sending_per_domain_per_second
  if (per_domain === null && !limits.has_domain_queues) return yield* claimKind(sql, context, claimed)
  const byDomain = yield* claimByDomain(sql, context, limit, per_domain)
  if (per_domain !== null || byDomain.length >= limit) return byDomain
  return [...byDomain, ...(yield* claimKind(sql, context, { ...claimed, limit: limit - byDomain.length }))]
})

/** Of the common queue. Under the limit of the workspace, single messages take the permits first. */
const claimKind = Effect.fnUntraced(function* (sql: Sql, context: ClaimContext, { kind, limit, limits }: Claimed) {
  const { line, sending_per_second } = limits
  const first =
    line !== null && (kind === "messages" || sending_per_second !== null)
      ? yield* claimLine(sql, context, line, limit)
      : []
  return kind === "messages" || first.length === limit
    ? first
    : [...first, ...(yield* claimCommon(sql, context, limit - first.length))]
})

/** Because of the sub-selects no plan depends on their values: PostgreSQL would make a new one for each call. */
const claimLine = (sql: Sql, context: ClaimContext, line: BlastId, limit: number) => sql<ClaimedRow>`
  with next as materialized (
    select q.delivery_id from delivery_queue q
    where q.workspace_id = ${context.workspace} and q.blast_id = (select ${line}::uuid) and q.lane = '' and q.token is null
      and q.due_at <= clock_timestamp()
    order by q.due_at, q.delivery_id
    limit (select ${limit}::int)
    for update skip locked
  ),
  ${claimNext(sql, context)}`

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
        and b.purpose <> 'messages'
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

/**
 * Reads contacts, and the content of single messages, until they weigh `bytes_max`: with very large ones, a claim of the usual size
 * would fill the memory.
 */
const readWithin = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  rows: ReadonlyArray<ClaimedRow>,
  { bytes_max, line }: { readonly bytes_max: number; readonly line: BlastId | null },
) {
  const contacts = new Map<ContactId | null, Contact>()
  const messages = new Map<DeliveryId, LoadedMessage>()
  let read = 0
  let bytes = 0
  let slice = first_slice
  while (read < rows.length && bytes < bytes_max) {
    const some = rows.slice(read, read + slice)
    const ids = some.flatMap((row) => row.contactId ?? [])
    const found = ids.length === 0 ? new Map<ContactId, Contact>() : yield* contactsById(sql, workspace, ids)
    for (const [id, contact] of found) {
      contacts.set(id, contact)
      bytes += estimateContactBytes(contact)
    }
    const single = some.flatMap(({ blastId, id }) => (blastId === line ? [id] : []))
    const loaded =
      single.length === 0 ? new Map<DeliveryId, LoadedMessage>() : yield* loadMessages(sql, workspace, single)
    for (const [id, message] of loaded) {
      messages.set(id, message)
      bytes += estimateMessageBytes(message)
    }
    read += some.length
    slice = Math.max(1, Math.floor((bytes_max - bytes) / Math.max(1, bytes / read)))
  }
  return { contacts, left: rows.slice(read), messages }
})

/** Queues again the deliveries whose contacts did not fit, in the transaction of the claim. */
const release = (sql: Sql, { token, workspace }: ClaimContext, rows: ReadonlyArray<ClaimedRow>) => sql`
  update delivery_queue q set state = 'queued', token = null, lease_until = null
  from unnest(${texts(rows.map((row) => row.id))}::uuid[]) as g (id)
  where q.workspace_id = ${workspace} and q.delivery_id = g.id and q.token = ${token}::bigint`
