// The memory tables of webhooks.
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DeliveryPiece, LoggedAttempt } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import type { EndpointHealth } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import type { WebhookDelivery } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import type { FannedOut, SettledDelivery } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { WebhookEndpoint } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { DateTime, Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export const endpoints = table<WebhookEndpoint>("webhook_endpoint")

/** How far an endpoint is, and how well it works. By endpoint. */
interface ReaderRow {
  readonly position: string
  readonly health: EndpointHealth
  readonly lastSuccessAt: DateTime.Utc | null
  readonly lastError: string | null
}
export const readers = table<ReaderRow>("webhook_reader")

export interface DeliveryRow {
  readonly id: WebhookDeliveryId
  readonly delivery: WebhookDelivery
  readonly pieces: ReadonlyArray<DeliveryPiece>
  readonly attempts: ReadonlyArray<LoggedAttempt>
  /** The token of the lease that has claimed it. */
  readonly claim: string | null
}
export const deliveries = table<DeliveryRow>("webhook_delivery")

interface HourRow {
  readonly endpointId: WebhookEndpointId
  readonly hour_ms: number
  readonly delivered: number
  readonly failed: number
}
export const hours = table<HourRow>("webhook_hour")

interface LeaseRow {
  readonly token: number
  readonly until_ms: number
}
/** Under the key `lease`. */
export const leases = table<LeaseRow>("webhook_lease")

export const deliveriesOf = (db: Rows, workspace: WorkspaceId, endpoint: WebhookEndpointId) =>
  Effect.map(db.all(deliveries, workspace), (rows) => rows.filter(({ delivery }) => delivery.endpointId === endpoint))

export const addDelivery = (
  db: Rows,
  workspace: WorkspaceId,
  { delivery, pieces }: FannedOut,
  claim: string | null = null,
) =>
  db.put(deliveries, workspace, delivery.id, {
    id: delivery.id,
    delivery,
    pieces: pieces.map(({ json, position }) => ({ json, position })),
    attempts: [],
    claim,
  })

export const hour_ms = 3_600_000

/** Writes a state and an attempt, ends the claim, and counts a delivery that has ended. */
export const writeSettled = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  row: DeliveryRow,
  { attempt, state }: Pick<SettledDelivery, "attempt" | "state">,
) {
  const attempts = attempt === null ? row.attempts : [...row.attempts, attempt]
  const { attemptCount, deliveredAt, failedCount, isReplay, nextAttemptAt, reason, status } = state
  const changed = { attemptCount, deliveredAt, failedCount, isReplay, nextAttemptAt, reason, status }
  yield* db.put(deliveries, workspace, row.id, {
    ...row,
    attempts,
    claim: null,
    delivery: { ...row.delivery, ...changed },
  })
  if (status !== "delivered" && status !== "failed") return
  const { endpointId } = row.delivery
  const now = yield* DateTime.now
  const hour = Math.floor(now.epochMilliseconds / hour_ms) * hour_ms
  const key = `${endpointId} ${hour}`
  const counts = (yield* db.find(hours, workspace, key)) ?? { endpointId, hour_ms: hour, delivered: 0, failed: 0 }
  yield* db.put(hours, workspace, key, { ...counts, [status]: counts[status] + 1 })
})

/** Of an ordered endpoint: a test is before all events. */
export const inOrder = (left: DeliveryRow, right: DeliveryRow): number => {
  const first = ({ delivery }: DeliveryRow) => BigInt(delivery.positions[0] ?? -1)
  const [a, b] = [first(left), first(right)]
  return a === b ? (left.id < right.id ? -1 : 1) : a < b ? -1 : 1
}

const dueMs = ({ delivery }: DeliveryRow): number => delivery.nextAttemptAt?.epochMilliseconds ?? Infinity

export const inDueOrder = (left: DeliveryRow, right: DeliveryRow): number =>
  dueMs(left) - dueMs(right) || (left.id < right.id ? -1 : 1)

export const isDue = (row: DeliveryRow, now: DateTime.Utc): boolean => dueMs(row) <= now.epochMilliseconds
