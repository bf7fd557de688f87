// A workspace whose webhooks a test serves.
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WebhookDeliveryId, WebhookEndpointId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { LoggedAttempt } from "../../src/webhooks/deliveries/DeliveryLog.ts"
import { DeliveryLog } from "../../src/webhooks/deliveries/DeliveryLog.ts"
import type { WebhookDelivery, WebhookDeliveryState } from "../../src/webhooks/deliveries/WebhookDelivery.ts"
import {
  type FannedOut,
  type SettledDelivery,
  type WebhookLease,
  WebhookQueue,
} from "../../src/webhooks/deliveries/WebhookQueue.ts"
import * as EndpointChange from "../../src/webhooks/endpoints/EndpointChange.ts"
import { EndpointStore } from "../../src/webhooks/endpoints/EndpointStore.ts"
import type { WebhookEndpoint, WebhookSettings } from "../../src/webhooks/endpoints/WebhookEndpoint.ts"
import { Fresh } from "../kernel/fresh.ts"

export type WebhookPorts = DeliveryLog | EndpointStore | Fresh | Outbox | Transactor | WebhookQueue

const settings: WebhookSettings = {
  url: "https://crm.example.org/hooks",
  description: null,
  eventTypes: ["*"],
  filter: null,
  payload: "full",
  mode: "parallel",
  batch: null,
  inFlight_max: 20,
}

export const endpointOf = (
  id: WebhookEndpointId,
  at: DateTime.Utc,
  changed: Partial<WebhookSettings> = {},
): WebhookEndpoint => ({
  id,
  settings: { ...settings, ...changed },
  status: "enabled",
  disabledReason: null,
  disabledAt: null,
  sealedHeaders: null,
  headerNames: [],
  sealedSecret: new Uint8Array([1, 2, 3]),
  secretPrefix: "whsec_AbC1",
  previousSecret: null,
  replay: null,
  skipsThrough: null,
  createdAt: at,
  updatedAt: at,
})

/** The outcome of a first attempt. */
export const attemptAt = (at: DateTime.Utc, changed: Partial<LoggedAttempt> = {}): LoggedAttempt => ({
  attempt: 1,
  at,
  duration_ms: 12,
  statusCode: 200,
  error: null,
  snippet: "ok",
  isReplay: false,
  ...changed,
})

export const lease_ms = 60_000

/** The states that tests give a delivery. */
const states = (now: DateTime.Utc) =>
  ({
    delivered: { status: "delivered", nextAttemptAt: null, deliveredAt: now, attemptCount: 1 },
    failed: { status: "failed", nextAttemptAt: null, attemptCount: 1, failedCount: 1 },
    later: { nextAttemptAt: DateTime.add(now, { hours: 1 }), attemptCount: 1, failedCount: 1 },
  }) as const satisfies Readonly<Record<string, Partial<WebhookDeliveryState>>>

export const begin = Effect.gen(function* () {
  const fresh = yield* Fresh
  const endpoints = yield* EndpointStore
  const log = yield* DeliveryLog
  const queue = yield* WebhookQueue
  const outbox = yield* Outbox
  const { transact } = yield* Transactor
  const workspace = yield* fresh.unreadWorkspace
  const now = DateTime.makeUnsafe((yield* DateTime.now).epochMilliseconds - 1_000)

  const apply = (change: EndpointChange.EndpointChange | null, of: WorkspaceId = workspace) =>
    change === null ? Effect.die("nothing changes") : transact(endpoints.apply(of, change))
  const create = Effect.fnUntraced(function* (
    changed: Partial<WebhookSettings> = {},
    at: DateTime.Utc = now,
    of: WorkspaceId = workspace,
  ) {
    const endpoint = endpointOf(WebhookEndpointId.make(yield* fresh.id), at, changed)
    yield* apply(EndpointChange.create(endpoint), of)
    return endpoint
  })
  const skipMissed = (endpoint: WebhookEndpoint, limit = 1_000) =>
    transact(endpoints.skipMissed(workspace, endpoint.id, limit))
  const disable = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const change = EndpointChange.disable(endpoint, "requested", now)
    yield* apply(change)
    return change?.after ?? endpoint
  })
  const enable = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, skipsMissed: boolean, at = now) {
    yield* apply(EndpointChange.enable(endpoint, { now: at, skipsMissed }))
    if (skipsMissed) yield* skipMissed(endpoint)
  })

  /** Writes events and returns them. */
  const write = (count: number, of: WorkspaceId = workspace) =>
    transact(
      outbox.append(
        of,
        Array.from({ length: count }, () => ({
          type: "flow_paused",
          contactId: null,
          at: now,
          data: { flow_id: "f" },
        })),
      ),
    )
  const served = (of: WorkspaceId = workspace) => queue.endpoints(of)
  const positionOf = (endpoint: WebhookEndpoint) =>
    Effect.map(served(), (all) => BigInt(all.find((each) => each.endpoint.id === endpoint.id)?.position ?? -1))
  const take = (turn_ms = 60_000) =>
    Effect.map(transact(queue.takeTurns({ limit: 1_000, turn_ms })), (turns) =>
      turns.filter((turn) => turn.workspace === workspace),
    )
  const acquired = (expired: (delivery: WebhookDelivery) => SettledDelivery = stays, ms = lease_ms) =>
    Effect.flatMap(transact(queue.acquire(workspace, { lease_ms: ms, expired })), (lease) =>
      lease === null ? Effect.die("another has the lease") : Effect.succeed(lease),
    )

  const pending = (endpoint: WebhookEndpoint, changed: Partial<WebhookDelivery> = {}) =>
    Effect.map(fresh.id, (id): WebhookDelivery => ({
      id: WebhookDeliveryId.make(id),
      endpointId: endpoint.id,
      webhookId: `event ${id}`,
      positions: [],
      eventType: "flow.paused",
      isTest: false,
      createdAt: now,
      status: "pending",
      reason: null,
      attemptCount: 0,
      failedCount: 0,
      isReplay: false,
      nextAttemptAt: now,
      deliveredAt: null,
      ...changed,
    }))
  /** The deliveries of events, one for each group of them. */
  const deliveriesOf = (
    endpoint: WebhookEndpoint,
    groups: ReadonlyArray<ReadonlyArray<string>>,
    changed: Partial<WebhookDelivery> = {},
  ) =>
    Effect.forEach(groups, (positions) =>
      Effect.map(pending(endpoint, { ...changed, positions }), (delivery): FannedOut => ({
        delivery,
        pieces: positions.map((position) => ({ position, json: `{"at":${position}}`, contactId: null })),
      })),
    )
  const eventsOf = (endpoint: WebhookEndpoint) =>
    Effect.flatMap(positionOf(endpoint), (position) =>
      Effect.map(queue.eventsAfter(workspace, String(position), 1_000), (found) =>
        found.map(({ event }) => String(BigInt(event.position))),
      ),
    )
  /** Writes events, and a delivery for each. */
  const spread = Effect.fnUntraced(function* (
    lease: WebhookLease,
    endpoint: WebhookEndpoint,
    count: number,
    changed: Partial<WebhookDelivery> = {},
  ) {
    yield* write(count)
    const positions = yield* eventsOf(endpoint)
    const deliveries = yield* deliveriesOf(
      endpoint,
      positions.map((position) => [position]),
      changed,
    )
    const last = positions.at(-1) ?? "0"
    assert.isNotNull(yield* transact(queue.fanOut(lease, { deliveries, positions: new Map([[endpoint.id, last]]) })))
    return deliveries.map(({ delivery }) => delivery)
  })
  const claim = (
    lease: WebhookLease,
    endpoint: WebhookEndpoint,
    options: Partial<{ readonly limit: number; readonly ordered: boolean; readonly testsOnly: boolean }> = {},
  ) => transact(queue.claim(lease, endpoint.id, { limit: 100, ordered: false, testsOnly: false, ...options }))
  const settledAs = (
    { id, endpointId, ...state }: WebhookDelivery,
    to: keyof ReturnType<typeof states>,
    attempt: LoggedAttempt | null = attemptAt(now),
  ): SettledDelivery => ({ id, endpointId, state: { ...state, ...states(now)[to] }, attempt })
  const settle = (lease: WebhookLease, settled: ReadonlyArray<SettledDelivery>) =>
    transact(queue.settle(lease, { settled, healths: [] }))
  const seen = (endpoint: WebhookEndpoint, { id }: WebhookDelivery) => log.get(workspace, endpoint.id, id)

  return {
    acquired,
    apply,
    claim,
    create,
    deliveriesOf,
    disable,
    enable,
    endpoints,
    eventsOf,
    fresh,
    log,
    now,
    pending,
    positionOf,
    queue,
    seen,
    served,
    settle,
    settledAs,
    skipMissed,
    spread,
    take,
    transact,
    workspace,
    write,
  }
})

/** A delivery whose lease has expired is due as before. */
export const stays = ({ endpointId, id, ...state }: WebhookDelivery): SettledDelivery => ({
  endpointId,
  id,
  state,
  attempt: null,
})

export const ids = (all: ReadonlyArray<{ readonly delivery: WebhookDelivery }>): ReadonlyArray<WebhookDeliveryId> =>
  all.map(({ delivery }) => delivery.id)
