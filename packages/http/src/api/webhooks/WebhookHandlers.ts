// The handlers of webhook endpoints and deliveries.
import { isObject } from "@tentpole/core/kernel/Decoding"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { LoggedDelivery } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { bodyOf } from "@tentpole/core/webhooks/deliveries/FanOut"
import { WebhookDeliveries } from "@tentpole/core/webhooks/endpoints/WebhookDeliveries"
import { WebhookEndpoints } from "@tentpole/core/webhooks/endpoints/WebhookEndpoints"
import { WebhookReplays } from "@tentpole/core/webhooks/endpoints/WebhookReplays"
import { Effect, Layer } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, sliced, toCamelCase } from "../../Wire.ts"
import {
  type LoggedDeliveryWire,
  toAttemptWire,
  toDeliveryWire,
  toEndpointFields,
  toEndpointWire,
  toEndpointWithHoursWire,
  toEndpointWithSecretWire,
  toNewEndpoint,
} from "./WebhookWire.ts"

const endpointsLayer = handlersOf(
  "webhookEndpoints",
  Effect.all({ endpoints: WebhookEndpoints, deliveries: WebhookDeliveries }),
  ({ deliveries, endpoints }) => ({
    list: ({ query }, { id }) => endpoints.list(id, query).pipe(answer(sliced("webhook_endpoints", toEndpointWire))),
    create: ({ payload }, { id }) =>
      endpoints.create(id, toNewEndpoint(payload)).pipe(answer(toEndpointWithSecretWire)),
    find: ({ params }, { id }) => endpoints.get(id, params.endpointId).pipe(answer(toEndpointWithHoursWire)),
    edit: ({ params, payload }, { id }) =>
      endpoints.update(id, params.endpointId, toEndpointFields(payload)).pipe(answer(toEndpointWire)),
    remove: ({ params }, { id }) => endpoints.delete(id, params.endpointId).pipe(answer(() => undefined)),
    rotateSecret: ({ params, payload }, { id }) =>
      endpoints
        .rotateSecret(id, params.endpointId, payload === undefined ? {} : toCamelCase(payload))
        .pipe(answer(toEndpointWithSecretWire)),
    enable: ({ params, payload }, { id }) =>
      endpoints.enable(id, params.endpointId, payload?.from ?? "now").pipe(answer(toEndpointWire)),
    disable: ({ params }, { id }) => endpoints.disable(id, params.endpointId).pipe(answer(toEndpointWire)),
    test: ({ params, payload }, { id }) =>
      deliveries.test(id, params.endpointId, payload?.event_type ?? "webhook.test").pipe(answer(toDeliveryWire(id))),
  }),
)

const deliveriesLayer = handlersOf(
  "webhookDeliveries",
  Effect.all({ deliveries: WebhookDeliveries, replays: WebhookReplays }),
  ({ deliveries, replays }) => ({
    list: ({ params, query }, { id }) =>
      deliveries.list(id, params.endpointId, toCamelCase(query)).pipe(answer(sliced("deliveries", toDeliveryWire(id)))),
    find: ({ params }, { id }) =>
      deliveries.get(id, params.endpointId, params.deliveryId).pipe(answer(toLoggedDeliveryWire(id))),
    replay: ({ params }, { id }) =>
      deliveries.replay(id, params.endpointId, params.deliveryId).pipe(answer(toDeliveryWire(id))),
    replayAll: ({ params, payload }, { id }) =>
      replays
        .start(id, params.endpointId, toCamelCase(payload))
        .pipe(answer(({ matched_count, replayId }) => ({ replay_id: replayId, matched_count }))),
  }),
)

const toLoggedDeliveryWire =
  (workspace: WorkspaceId) =>
  (logged: LoggedDelivery): typeof LoggedDeliveryWire.Type => {
    const body = bodyOf(workspace, logged)
    const payload: unknown = body === null ? null : JSON.parse(body)
    return {
      ...toDeliveryWire(workspace)(logged.delivery),
      attempts: logged.attempts.map(toAttemptWire),
      payload: isObject(payload) ? payload : null,
    }
  }

export const layer = Layer.merge(endpointsLayer, deliveriesLayer)
