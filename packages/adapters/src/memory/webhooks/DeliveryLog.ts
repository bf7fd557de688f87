// The log of webhook deliveries in memory.
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import {
  DeliveryLog,
  type DeliveryLogQuery,
  type LoggedDelivery,
  type MissedSelection,
  type ReplaySelection,
} from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import type { WebhookDelivery, WebhookDeliveryState } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import type { FannedOut } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { DateTime, Effect } from "effect"
import { hintDue } from "../kernel/DueWork.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { events, positionOf } from "../kernel/Outbox.ts"
import { eventsAfter } from "./EventStore.ts"
import { addDelivery, deliveries, deliveriesOf, type DeliveryRow, endpoints, readers } from "./WebhookTables.ts"

const isBetween = ({ createdAt }: WebhookDelivery, { since, until }: Pick<DeliveryLogQuery, "since" | "until">) =>
  (since === null || DateTime.isGreaterThanOrEqualTo(createdAt, since)) &&
  (until === null || DateTime.isLessThan(createdAt, until))

const byId = (left: DeliveryRow, right: DeliveryRow): number => (left.id < right.id ? -1 : 1)

const find = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  id: WebhookDeliveryId,
) {
  const row = yield* db.find(deliveries, workspace, id)
  const isDeleted = (yield* db.find(endpoints, workspace, endpoint)) === undefined
  if (isDeleted || row?.delivery.endpointId !== endpoint) return yield* new NotFound({ resource: "webhook delivery" })
  const { attempts, delivery, pieces } = row
  return { attempts, delivery, pieces } satisfies LoggedDelivery
})

const hint = (db: Rows, workspace: WorkspaceId, { nextAttemptAt }: WebhookDeliveryState) =>
  nextAttemptAt === null ? Effect.void : hintDue(db, "webhooks", workspace, nextAttemptAt)

const write = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  row: DeliveryRow,
  { attemptCount, deliveredAt, failedCount, isReplay, nextAttemptAt, reason, status }: WebhookDeliveryState,
) {
  const changed = { attemptCount, deliveredAt, failedCount, isReplay, nextAttemptAt, reason, status }
  const delivery = { ...row.delivery, ...changed }
  yield* db.put(deliveries, workspace, row.id, { ...row, claim: null, delivery })
  yield* hint(db, workspace, delivery)
})

/** Ascending by id. */
const selected = (
  db: Rows,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  { eventTypes, statuses, ...times }: ReplaySelection,
) =>
  Effect.map(deliveriesOf(db, workspace, endpoint), (rows) =>
    rows
      .filter(
        ({ delivery, pieces }) =>
          pieces.length > 0 &&
          statuses.includes(delivery.status) &&
          (eventTypes === null || eventTypes.includes(delivery.eventType)) &&
          isBetween(delivery, times),
      )
      .sort(byId),
  )

const missed = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  endpoint: WebhookEndpointId,
  { since, types, until }: MissedSelection,
  { after, limit }: { readonly after: string; readonly limit: number },
) {
  const end = BigInt((yield* db.find(readers, workspace, endpoint))?.position ?? 0)
  const slice = (yield* eventsAfter(db, workspace, after, Infinity))
    .filter(
      ({ event: { at, position, type } }) =>
        BigInt(position) <= end &&
        types.includes(type) &&
        DateTime.isGreaterThanOrEqualTo(at, since) &&
        DateTime.isLessThan(at, until),
    )
    .slice(0, limit)
  const rows = yield* deliveriesOf(db, workspace, endpoint)
  const sent = new Set(rows.flatMap(({ pieces }) => pieces.map(({ position }) => BigInt(position))))
  return {
    events: slice.filter(({ event }) => !sent.has(BigInt(event.position))),
    last: slice.length < limit ? null : (slice.at(-1)?.event.position ?? null),
  }
})

const addMissed = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, added: ReadonlyArray<FannedOut>) {
  const stored = new Set((yield* db.all(events, workspace)).map(({ position }) => position))
  for (const { delivery, pieces } of added) {
    const left = pieces.filter((piece) => stored.has(positionOf(piece.position)))
    if (left.length === 0) continue
    yield* addDelivery(db, workspace, { delivery, pieces: left })
    yield* hint(db, workspace, delivery)
  }
})

export const layer = storeLayer(DeliveryLog, (db) =>
  DeliveryLog.of({
    list: Effect.fnUntraced(function* (workspace, endpoint, { after, eventType, limit, status, ...times }) {
      const rows = (yield* deliveriesOf(db, workspace, endpoint))
        .filter(
          ({ delivery, id }) =>
            (status === null || delivery.status === status) &&
            (eventType === null || delivery.eventType === eventType) &&
            (after === null || id < after.id) &&
            isBetween(delivery, times),
        )
        .sort((left, right) => byId(right, left))
        .slice(0, limit + 1)
      return sliced(
        rows.map(({ delivery }) => delivery),
        limit,
        ({ createdAt, id }) => ({ at: createdAt.epochMilliseconds, id }),
      )
    }),
    get: (workspace, endpoint, id) => find(db, workspace, endpoint, id),
    lock: (workspace, endpoint, id) => Effect.andThen(Transaction, find(db, workspace, endpoint, id)),
    add: Effect.fnUntraced(function* (workspace, delivery, of) {
      yield* Transaction
      yield* addDelivery(db, workspace, { delivery, pieces: of.map((piece) => ({ ...piece, contactId: null })) })
      yield* hint(db, workspace, delivery)
    }),
    write: Effect.fnUntraced(function* (workspace, id, state) {
      yield* Transaction
      const row = yield* db.find(deliveries, workspace, id)
      if (row !== undefined) yield* write(db, workspace, row, state)
    }),
    count: (workspace, endpoint, selection, limit) =>
      Effect.map(selected(db, workspace, endpoint, selection), ({ length }) => Math.min(length, limit)),
    replay: Effect.fnUntraced(function* (workspace, endpoint, selection, { after, limit, replayed }) {
      yield* Transaction
      const rows = (yield* selected(db, workspace, endpoint, selection))
        .filter(({ id }) => after === null || id > after)
        .slice(0, limit)
      for (const row of rows) {
        const state = replayed(row.delivery)
        if (state !== null) yield* write(db, workspace, row, state)
      }
      return rows.length < limit ? null : (rows.at(-1)?.id ?? null)
    }),
    missed: (workspace, endpoint, selection, slice) => missed(db, workspace, endpoint, selection, slice),
    addMissed: (workspace, added) => Effect.andThen(Transaction, addMissed(db, workspace, added)),
  }),
)
