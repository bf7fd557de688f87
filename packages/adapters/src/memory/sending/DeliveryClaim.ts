// Claims of deliveries in memory: due deliveries, in turns of blasts and of recipient domains, as far as the rate buckets of
// the workspace and of each domain have permits.
import {
  type ClaimedDelivery,
  type ClaimOptions,
  claimed_bytes_max,
  estimateContactBytes,
} from "@tentpole/core/sending/DeliveryStore"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Clock, Effect } from "effect"
import { strangerOf } from "@tentpole/core/sending/messages/MessageContent"
import { contactOf } from "../contacts/ContactTables.ts"
import { claimedMessage, messageOf } from "../messages/MessageTables.ts"
import { blasts, deliveries, type DeliveryRow, dueDeliveries, moved } from "./DeliveryTables.ts"
import { sendingSteps } from "../flows/MembershipTables.ts"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"
import { byId } from "../kernel/Slices.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

const tokens = table<number>("delivery_token")

interface RateBucketRow {
  /** A recipient domain; the bucket of the whole workspace has ''. */
  readonly lane: string
  readonly bucket: Pace.RateBucket
}

export const rateBuckets = table<RateBucketRow>("delivery_lane")

const byTurn = (left: DeliveryRow, right: DeliveryRow): number =>
  left.dueAt.epochMilliseconds - right.dueAt.epochMilliseconds || byId(left, right)

const domainOf = (row: DeliveryRow): string => row.emailNormalized?.split("@").at(-1) ?? ""

/** The first item of each group, then the second of each, and so on. Groups keep their order of first occurrence. */
const byTurns = <A>(items: ReadonlyArray<A>, groupOf: (item: A) => string): ReadonlyArray<A> => {
  const seen = new Map<string, number>()
  const nth = items.map((item) => {
    const before = seen.get(groupOf(item)) ?? 0
    seen.set(groupOf(item), before + 1)
    return { item, before }
  })
  return nth.sort((left, right) => left.before - right.before).map(({ item }) => item)
}

export const bucketOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, lane: string, now_ms: number) {
  return (yield* db.find(rateBuckets, workspace, lane))?.bucket ?? Pace.newBucket(now_ms)
})

const writeBucket = (db: Rows, workspace: WorkspaceId, lane: string, bucket: Pace.RateBucket) =>
  db.put(rateBuckets, workspace, lane, { lane, bucket })

/** Ids of blasts and of flow steps that send and are not paused. */
export const sendingBlastIds = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const ids = [...(yield* db.all(blasts, workspace)), ...(yield* db.all(sendingSteps, workspace))].flatMap((each) =>
    each.status === "sending" && !each.paused ? [each.id] : [],
  )
  return new Set(ids)
})

/** The due single messages, then the other due deliveries, in turns of blasts. */
const dueOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  now_ms: number,
  isWanted: (row: DeliveryRow) => boolean,
) {
  const sending = yield* sendingBlastIds(db, workspace)
  const due = (yield* db.all(deliveries, workspace))
    .filter((row) => row.state === "queued" && row.dueAt.epochMilliseconds <= now_ms && isWanted(row))
    .sort(byTurn)
  return [
    ...due.filter(({ message }) => message !== null),
    ...byTurns(
      due.filter(({ blastId, message }) => message === null && sending.has(blastId)),
      (row) => row.blastId,
    ),
  ]
})

/** Takes deliveries up to the permits of each domain, and updates the buckets. */
const takeByDomains = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  due: ReadonlyArray<DeliveryRow>,
  { limit, now_ms, per_second }: { readonly limit: number; readonly now_ms: number; readonly per_second: number },
) {
  const permits = new Map<string, number>()
  for (const domain of new Set(due.map(domainOf))) {
    permits.set(domain, Pace.availablePermits(yield* bucketOf(db, workspace, domain, now_ms), per_second, now_ms))
  }
  const counts = new Map<string, number>()
  const taken: Array<DeliveryRow> = []
  for (const row of byTurns(due, domainOf)) {
    const count = counts.get(domainOf(row)) ?? 0
    if (taken.length === limit || count >= (permits.get(domainOf(row)) ?? 0)) continue
    counts.set(domainOf(row), count + 1)
    taken.push(row)
  }
  for (const [domain, count] of counts) {
    const before = yield* bucketOf(db, workspace, domain, now_ms)
    yield* writeBucket(db, workspace, domain, Pace.takePermits(before, per_second, now_ms, count))
  }
  return taken
})

/** As on PostgreSQL: where a limit holds for all mail, a claim of deliveries takes single messages too. */
const isClaimed = (kind: "deliveries" | "messages", per_second: number | null, per_domain: number | null) => {
  if (per_domain !== null) return () => true
  return ({ message }: DeliveryRow) =>
    kind === "messages" ? message !== null : message === null || per_second !== null
}

const takePaced = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  limit: number,
  now_ms: number,
  kind: "deliveries" | "messages",
) {
  const settings = yield* db.find(workspaces, null, workspace)
  const per_second = settings?.sendingPerSecond ?? null
  const per_domain = settings?.sendingPerDomainPerSecond ?? null
  const bucket = yield* bucketOf(db, workspace, "", now_ms)
  const permits = per_second === null ? limit : Math.min(limit, Pace.availablePermits(bucket, per_second, now_ms))
  const due = permits === 0 ? [] : yield* dueOf(db, workspace, now_ms, isClaimed(kind, per_second, per_domain))
  const taken =
    per_domain === null
      ? due.slice(0, permits)
      : yield* takeByDomains(db, workspace, due, { limit: permits, now_ms, per_second: per_domain })
  if (per_second === null) return { taken, paced: per_domain !== null, ready_ms: now_ms }
  const left = permits === 0 ? bucket : Pace.takePermits(bucket, per_second, now_ms, taken.length)
  yield* writeBucket(db, workspace, "", left)
  return { taken, paced: true, ready_ms: Pace.nextPermit_ms(left, per_second) }
})

export const claim = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { bytes_max = claimed_bytes_max, lease_ms, limit }: ClaimOptions,
  kind: "deliveries" | "messages",
) {
  const now_ms = yield* Clock.currentTimeMillis
  const token = ((yield* db.find(tokens, null, "last")) ?? 0) + 1
  yield* db.put(tokens, null, "last", token)
  const { paced, ready_ms, taken } = yield* takePaced(db, workspace, limit, now_ms, kind)
  const due = yield* db.find(dueDeliveries, null, workspace)
  const next_ms = paced && taken.length < limit ? Math.max(now_ms + Pace.turn_ms, ready_ms) : now_ms
  if (due !== undefined && kind === "deliveries")
    yield* db.put(dueDeliveries, null, workspace, { ...due, dueAt_ms: next_ms })
  const claimed: Array<ClaimedDelivery> = []
  let bytes = 0
  for (const row of taken) {
    const after = moved(row, { _tag: "claim", token })
    if (after === undefined) continue
    if (bytes >= bytes_max) break
    const stored = row.message === null ? undefined : yield* messageOf(db, workspace, row.id)
    const message = stored === undefined ? null : claimedMessage(stored, row.expiresAt ?? stored.message.expiresAt)
    const contact =
      row.contactId === null
        ? strangerOf(row.id, row.createdAt, row.email, message?.toName ?? null)
        : ((yield* contactOf(db, workspace, row.contactId)) ?? null)
    if (contact !== null) bytes += estimateContactBytes(contact)
    yield* db.put(deliveries, workspace, row.id, { ...after, leaseUntil_ms: now_ms + lease_ms })
    claimed.push({
      id: row.id,
      token,
      attempts: row.attempts,
      rateLimited: paced,
      blastId: row.blastId,
      tokens: row.flow?.tokens ?? null,
      approvalId: row.approvalId,
      topicId: row.topicId,
      operational: row.operational,
      address: row.email ?? "",
      contact,
      message,
    })
  }
  return claimed
})
