// The use cases of webhook deliveries for callers of the API: the log of an endpoint, its test, and the replay of one delivery.
import { Context, DateTime, Effect, Layer } from "effect"
import { Ids, type WebhookDeliveryId, type WebhookEndpointId, type WorkspaceId } from "../../kernel/Ids.ts"
import { type BrokenCursor, type ListedBy, type Sliced, sliceOf } from "../../kernel/Page.ts"
import { InvalidState, type NotFound } from "../../kernel/Refusal.ts"
import { AuditLog } from "../../kernel/changes/AuditLog.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { DeliveryLog, type LoggedDelivery } from "../deliveries/DeliveryLog.ts"
import { decide } from "../deliveries/machine.ts"
import type { WebhookDelivery, WebhookDeliveryStatus } from "../deliveries/WebhookDelivery.ts"
import type { EventType } from "../EventCatalogue.ts"
import { EndpointStore } from "./EndpointStore.ts"
import { testDelivery } from "./TestDelivery.ts"
import { EventGone } from "./WebhookErrors.ts"

export interface ListedDeliveries extends ListedBy {
  readonly status?: WebhookDeliveryStatus
  readonly eventType?: string
  readonly since?: DateTime.Utc
  readonly until?: DateTime.Utc
}

export class WebhookDeliveries extends Context.Service<
  WebhookDeliveries,
  {
    readonly list: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      by: ListedDeliveries,
    ) => Effect.Effect<Sliced<WebhookDelivery>, NotFound | BrokenCursor>
    /** With its attempts, and what is left of its events. */
    readonly get: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      id: WebhookDeliveryId,
    ) => Effect.Effect<LoggedDelivery, NotFound>
    /** Sends an example once, whatever the endpoint wants, also if it is disabled. */
    readonly test: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      type: EventType,
    ) => Effect.Effect<WebhookDelivery, NotFound>
    /** Sends a delivery that has ended again, with the whole schedule. */
    readonly replay: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      id: WebhookDeliveryId,
    ) => Effect.Effect<WebhookDelivery, NotFound | InvalidState | EventGone>
  }
>()("tentpole/WebhookDeliveries") {
  static readonly layer = Layer.effect(
    WebhookDeliveries,
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const log = yield* DeliveryLog
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { transact } = yield* Transactor

      return WebhookDeliveries.of({
        list: Effect.fn("WebhookDeliveries.list")(function* (workspace, endpoint, by) {
          yield* endpoints.get(workspace, endpoint)
          return yield* log.list(workspace, endpoint, {
            ...(yield* sliceOf(by)),
            status: by.status ?? null,
            eventType: by.eventType ?? null,
            since: by.since ?? null,
            until: by.until ?? null,
          })
        }),

        get: Effect.fn("WebhookDeliveries.get")((workspace, endpoint, id) => log.get(workspace, endpoint, id)),

        test: Effect.fn("WebhookDeliveries.test")(function* (workspace, endpoint, type) {
          const locked = yield* endpoints.lock(workspace, endpoint)
          const { delivery, pieces } = testDelivery(workspace, locked, type, {
            deliveryId: yield* ids.next,
            eventId: yield* ids.random,
            now: yield* DateTime.now,
          })
          yield* log.add(workspace, delivery, pieces)
          return delivery
        }, transact),

        replay: Effect.fn("WebhookDeliveries.replay")(function* (workspace, endpoint, id) {
          const { delivery, pieces } = yield* log.lock(workspace, endpoint, id)
          const decided = decide(delivery, { _tag: "replay" }, yield* DateTime.now)
          if (decided === null) {
            return yield* new InvalidState({ resource: "webhook delivery", status: delivery.status, move: "replayed" })
          }
          if (pieces.length === 0) return yield* new EventGone()
          yield* log.write(workspace, id, decided.after)
          yield* audit.append([
            { workspaceId: workspace, action: "webhook.replayed", target: endpoint, details: { delivery_id: id } },
          ])
          return { ...delivery, ...decided.after }
        }, transact),
      })
    }),
  )
}
