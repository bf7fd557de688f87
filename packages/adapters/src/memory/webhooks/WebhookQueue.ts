// The queue of webhooks in memory.
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import {
  type ServedEndpoint,
  type ServedHealth,
  type SettledDelivery,
  type WebhookLease,
  WebhookQueue,
} from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { Clock, DateTime, Effect } from "effect"
import { endTurn, takeTurns } from "../kernel/DueWork.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { events, positionOf } from "../kernel/Outbox.ts"
import { eventsAfter } from "./EventStore.ts"
import {
  addDelivery,
  deliveries,
  deliveriesOf,
  endpoints,
  inDueOrder,
  inOrder,
  isDue,
  leases,
  readers,
  writeSettled,
} from "./WebhookTables.ts"

const pendingOf = (db: Rows, workspace: WorkspaceId, endpoint: WebhookEndpointId) =>
  Effect.map(deliveriesOf(db, workspace, endpoint), (rows) =>
    rows.filter(({ delivery }) => delivery.status === "pending"),
  )

const served = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const found: Array<ServedEndpoint> = []
  for (const endpoint of yield* db.all(endpoints, workspace)) {
    const pending = yield* pendingOf(db, workspace, endpoint.id)
    const reader = yield* db.find(readers, workspace, endpoint.id)
    const isServed = endpoint.status === "enabled" || pending.some(({ delivery }) => delivery.isTest)
    if (isServed && reader !== undefined) found.push({ endpoint, position: reader.position, health: reader.health })
  }
  return found.sort((left, right) => (left.endpoint.id < right.endpoint.id ? -1 : 1))
})

const nextDue = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const due = new Map<WebhookEndpointId, DateTime.Utc>()
  for (const { id, settings, skipsThrough, status } of yield* db.all(endpoints, workspace)) {
    const isSent = status === "enabled" && skipsThrough === null
    const [first] = (yield* pendingOf(db, workspace, id))
      .filter(({ delivery }) => isSent || delivery.isTest)
      .sort(settings.mode === "ordered" && isSent ? inOrder : inDueOrder)
    const at = first?.delivery.nextAttemptAt ?? null
    if (at !== null) due.set(id, at)
  }
  return due
})

const isHeld = (db: Rows, { token, workspace }: WebhookLease) =>
  Effect.map(db.find(leases, workspace, "lease"), (row) => String(row?.token) === token)

const acquire = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { expired, lease_ms }: Parameters<WebhookQueue["Service"]["acquire"]>[1],
) {
  const now = yield* Clock.currentTimeMillis
  const before = yield* db.find(leases, workspace, "lease")
  if (before !== undefined && before.until_ms > now) return null
  const token = (before?.token ?? 0) + 1
  yield* db.put(leases, workspace, "lease", { token, until_ms: now + lease_ms })
  for (const row of yield* db.all(deliveries, workspace)) {
    if (row.claim !== null) yield* writeSettled(db, workspace, row, expired(row.delivery))
  }
  return { workspace, token: String(token) } satisfies WebhookLease
})

const setEnd = Effect.fnUntraced(function* (db: Rows, lease: WebhookLease, until_ms: number) {
  const row = yield* db.find(leases, lease.workspace, "lease")
  if (row === undefined || String(row.token) !== lease.token) return false
  yield* db.put(leases, lease.workspace, "lease", { ...row, until_ms })
  return true
})

const fanOut = Effect.fnUntraced(function* (
  db: Rows,
  { token, workspace }: WebhookLease,
  { claimed, deliveries: added, positions }: Parameters<WebhookQueue["Service"]["fanOut"]>[1],
) {
  const ours = new Set<WebhookDeliveryId>()
  const stored = new Set((yield* db.all(events, workspace)).map(({ position }) => position))
  for (const [id, position] of positions) {
    const reader = yield* db.find(readers, workspace, id)
    if (reader === undefined || BigInt(position) <= BigInt(reader.position)) continue
    yield* db.put(readers, workspace, id, { ...reader, position: positionOf(position) })
    for (const { delivery, pieces } of added) {
      const left = pieces.filter((piece) => stored.has(positionOf(piece.position)))
      const isTaken = BigInt(delivery.positions[0] ?? 0) <= BigInt(reader.position)
      if (delivery.endpointId !== id || isTaken || left.length === 0) continue
      const isSkipping = (yield* db.find(endpoints, workspace, id))?.skipsThrough !== null
      const isOurs = claimed?.has(delivery.id) === true && !isSkipping
      if (isOurs) ours.add(delivery.id)
      yield* addDelivery(db, workspace, { delivery, pieces: left }, isOurs ? token : null)
    }
  }
  return ours
})

const claim = Effect.fnUntraced(function* (
  db: Rows,
  { token, workspace }: WebhookLease,
  endpoint: WebhookEndpointId,
  { limit, ordered, testsOnly }: Parameters<WebhookQueue["Service"]["claim"]>[2],
) {
  const now = yield* DateTime.now
  const found = yield* db.find(endpoints, workspace, endpoint)
  if (found === undefined) return []
  const isSent = !testsOnly && found.skipsThrough === null
  const free = (yield* pendingOf(db, workspace, endpoint)).filter(
    (row) => row.claim === null && (isSent || row.delivery.isTest),
  )
  const rows = free.sort(ordered ? inOrder : inDueOrder)
  const end = rows.findIndex((row) => !isDue(row, now))
  const due = (end < 0 ? rows : rows.slice(0, end)).slice(0, limit)
  for (const row of due) yield* db.put(deliveries, workspace, row.id, { ...row, claim: token })
  return due.map(({ delivery, pieces }) => ({ delivery, pieces }))
})

const settle = Effect.fnUntraced(function* (
  db: Rows,
  { token, workspace }: WebhookLease,
  settled: ReadonlyArray<SettledDelivery>,
  healths: ReadonlyArray<ServedHealth>,
) {
  for (const each of settled) {
    const row = yield* db.find(deliveries, workspace, each.id)
    if (row?.claim === token) yield* writeSettled(db, workspace, row, each)
  }
  for (const { endpointId, health, lastError, lastSuccessAt } of healths) {
    const row = yield* db.find(readers, workspace, endpointId)
    if (row === undefined || DateTime.isGreaterThan(row.health.healthyAt, health.healthyAt)) continue
    yield* db.put(readers, workspace, endpointId, {
      ...row,
      health: { ...health, failedAt: health.failedAt ?? row.health.failedAt },
      lastSuccessAt: lastSuccessAt ?? row.lastSuccessAt,
      lastError: lastError ?? row.lastError,
    })
  }
})

/** Writes as long as the lease is held. */
const whileHeld = <A, E>(db: Rows, lease: WebhookLease, write: Effect.Effect<A, E>, otherwise: A) =>
  Effect.andThen(
    Transaction,
    Effect.flatMap(isHeld(db, lease), (held) => (held ? write : Effect.succeed(otherwise))),
  )

export const layer = storeLayer(WebhookQueue, (db) =>
  WebhookQueue.of({
    takeTurns: (options) => Effect.andThen(Transaction, takeTurns(db, ["webhooks"], options)),
    endTurn: (turn, due) =>
      Effect.andThen(
        Transaction,
        endTurn(db, { kind: "webhooks", ...turn }, Effect.succeed(due?.epochMilliseconds ?? Infinity)),
      ),
    nextDue: (workspace) => nextDue(db, workspace),
    acquire: (workspace, options) => Effect.andThen(Transaction, acquire(db, workspace, options)),
    renew: (lease, lease_ms) =>
      Effect.andThen(
        Transaction,
        Effect.flatMap(Clock.currentTimeMillis, (now) => setEnd(db, lease, now + lease_ms)),
      ),
    release: (lease) => Effect.andThen(Transaction, Effect.asVoid(setEnd(db, lease, -Infinity))),
    endpoints: (workspace) => served(db, workspace),
    eventsAfter: (workspace, position, limit) => eventsAfter(db, workspace, position, limit),
    fanOut: (lease, written) => whileHeld(db, lease, fanOut(db, lease, written), null),
    claim: (lease, endpoint, options) => whileHeld(db, lease, claim(db, lease, endpoint, options), []),
    settle: (lease, { healths, settled }) => whileHeld(db, lease, settle(db, lease, settled, healths), undefined),
  }),
)
