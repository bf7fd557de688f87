// The store of webhook endpoints in memory. Transactions run one after another, so a lock is a plain read.
import type { WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { newHealth } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import { webhook_consumer } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { EndpointChange } from "@tentpole/core/webhooks/endpoints/EndpointChange"
import { EndpointStore } from "@tentpole/core/webhooks/endpoints/EndpointStore"
import type { EndpointWithStats, WebhookEndpoint } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { DateTime, Effect } from "effect"
import { hintDue, makeWorkDue, removeWork } from "../kernel/DueWork.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { positionOf, stream, subscribe, unsubscribe } from "../kernel/Outbox.ts"
import { newest } from "../kernel/Slices.ts"
import { deliveries, deliveriesOf, endpoints, hour_ms, hours, inOrder, readers } from "./WebhookTables.ts"

const withStats = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, endpoint: WebhookEndpoint) {
  const reader = yield* db.find(readers, workspace, endpoint.id)
  const pending = (yield* deliveriesOf(db, workspace, endpoint.id)).filter(
    ({ delivery }) => delivery.status === "pending",
  )
  const since_ms = (yield* DateTime.now).epochMilliseconds - 24 * hour_ms
  const counted = (yield* db.all(hours, workspace)).filter(
    (row) => row.endpointId === endpoint.id && row.hour_ms > since_ms,
  )
  const created = pending.map(({ delivery }) => delivery.createdAt)
  return {
    endpoint,
    stats: {
      pending_count: pending.length,
      oldestPendingAt: created.reduce<DateTime.Utc | null>(
        (least, at) => (least === null ? at : DateTime.min(least, at)),
        null,
      ),
      delivered24h_count: counted.reduce((sum, { delivered }) => sum + delivered, 0),
      failed24h_count: counted.reduce((sum, { failed }) => sum + failed, 0),
      failuresInRow: reader?.health.failuresInRow ?? 0,
      lastSuccessAt: reader?.lastSuccessAt ?? null,
      lastFailureAt: reader?.health.failedAt ?? null,
      lastError: reader?.lastError ?? null,
    },
  } satisfies EndpointWithStats
})

const create = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, after: WebhookEndpoint) {
  yield* db.put(endpoints, workspace, after.id, after)
  yield* db.put(readers, workspace, after.id, {
    position: yield* subscribe(db, workspace, webhook_consumer),
    health: newHealth(after.createdAt, after.settings.inFlight_max),
    lastSuccessAt: null,
    lastError: null,
  })
  yield* makeWorkDue(db, "webhooks", workspace)
})

const update = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  before: WebhookEndpoint,
  after: WebhookEndpoint,
  skipsMissed: boolean,
) {
  yield* db.put(endpoints, workspace, after.id, after)
  const reader = yield* db.find(readers, workspace, after.id)
  if (after.status === "disabled" || reader === undefined) return
  const position = skipsMissed ? positionOf((yield* db.find(stream, workspace, "last")) ?? 0) : reader.position
  const { failedAt } = reader.health
  const health =
    before.status === "disabled"
      ? { ...newHealth(after.updatedAt, after.settings.inFlight_max), failedAt }
      : reader.health
  yield* db.put(readers, workspace, after.id, { ...reader, position, health })
  if (skipsMissed) yield* db.put(endpoints, workspace, after.id, { ...after, skipsThrough: position })
  yield* hintDue(db, "webhooks", workspace, yield* DateTime.now)
})

const skipMissed = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  id: WebhookEndpointId,
  limit: number,
) {
  const endpoint = yield* db.find(endpoints, workspace, id)
  if (endpoint === undefined) return false
  const through = BigInt(endpoint.skipsThrough ?? -1)
  const missed = (yield* deliveriesOf(db, workspace, id))
    .filter(({ delivery: { isTest, positions, status } }) => {
      return status === "pending" && !isTest && BigInt(positions[0] ?? 0) <= through
    })
    .sort(inOrder)
    .slice(0, limit)
  for (const row of missed) {
    const skipped = { status: "skipped", reason: "disabled", nextAttemptAt: null } as const
    yield* db.put(deliveries, workspace, row.id, { ...row, claim: null, delivery: { ...row.delivery, ...skipped } })
  }
  if (missed.length === limit) return true
  yield* db.put(endpoints, workspace, id, { ...endpoint, skipsThrough: null })
  yield* hintDue(db, "webhooks", workspace, yield* DateTime.now)
  return false
})

const deleteRows = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  id: WebhookEndpointId,
  limit: number,
) {
  const slice = (yield* deliveriesOf(db, workspace, id)).slice(0, limit)
  for (const row of slice) yield* db.remove(deliveries, workspace, row.id)
  yield* db.removeWhere(hours, workspace, ({ endpointId }) => endpointId === id)
  return slice.length === limit
})

const remove = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { id }: WebhookEndpoint) {
  yield* db.remove(endpoints, workspace, id)
  yield* db.remove(readers, workspace, id)
  if ((yield* db.all(endpoints, workspace)).length > 0) return
  yield* unsubscribe(db, workspace, webhook_consumer)
  yield* removeWork(db, "webhooks", workspace)
})

const write = (db: Rows, workspace: WorkspaceId, { after, before, skipsMissed }: EndpointChange) => {
  if (after === null) return before === null ? Effect.void : remove(db, workspace, before)
  return before === null ? create(db, workspace, after) : update(db, workspace, before, after, skipsMissed)
}

export const layer = storeLayer(EndpointStore, (db, writer) =>
  EndpointStore.of({
    list: Effect.fnUntraced(function* (workspace, query) {
      const { items, next } = newest(yield* db.all(endpoints, workspace), query)
      return { items: yield* Effect.forEach(items, (each) => withStats(db, workspace, each)), next }
    }),
    get: (workspace, id) =>
      Effect.flatMap(db.get(endpoints, workspace, id, "webhook endpoint"), (each) => withStats(db, workspace, each)),
    hoursSince: (workspace, id, since) =>
      Effect.map(db.all(hours, workspace), (rows) =>
        rows
          .filter((row) => row.endpointId === id && row.hour_ms >= since.epochMilliseconds)
          .toSorted((left, right) => left.hour_ms - right.hour_ms)
          .map((row) => ({
            at: DateTime.makeUnsafe(row.hour_ms),
            delivered_count: row.delivered,
            failed_count: row.failed,
          })),
      ),
    lock: (workspace, id) => Effect.andThen(Transaction, db.get(endpoints, workspace, id, "webhook endpoint")),
    lockCount: (workspace) =>
      Effect.andThen(
        Transaction,
        Effect.map(db.all(endpoints, workspace), ({ length }) => length),
      ),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      yield* write(db, workspace, change)
      yield* writer.writeEffects(workspace, [change])
    }),
    skipMissed: (workspace, id, limit) => Effect.andThen(Transaction, skipMissed(db, workspace, id, limit)),
    deleteRows: (workspace, id, limit) => Effect.andThen(Transaction, deleteRows(db, workspace, id, limit)),
  }),
)
