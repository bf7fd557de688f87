// The delivery of a test: an example of an event. Pure.
import { DateTime } from "effect"
import { WebhookDeliveryId, type WorkspaceId } from "../../kernel/Ids.ts"
import type { DeliveryPiece } from "../deliveries/DeliveryLog.ts"
import { pendingAt, thin } from "../deliveries/FanOut.ts"
import type { WebhookDelivery } from "../deliveries/WebhookDelivery.ts"
import { type EventType, eventTypes } from "../EventCatalogue.ts"
import { EventId, sequenceOf } from "../EventId.ts"
import type { PublicEvent } from "../PublicEvent.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** No event of the outbox has this position. */
const no_position = "0"

export interface TestDelivery {
  readonly delivery: WebhookDelivery
  readonly pieces: ReadonlyArray<DeliveryPiece>
}

/** The example of a type as an event of the workspace. `webhook.test` names the endpoint itself. */
export const testDelivery = (
  workspace: WorkspaceId,
  { id: endpointId, settings }: WebhookEndpoint,
  type: EventType,
  { deliveryId, eventId, now }: { readonly deliveryId: string; readonly eventId: string; readonly now: DateTime.Utc },
): TestDelivery => {
  const event: PublicEvent = {
    id: EventId.make(eventId),
    type,
    timestamp: DateTime.formatIso(now),
    sequence: sequenceOf(no_position),
    workspace_id: workspace,
    test: true,
    data: type === "webhook.test" ? { endpoint_id: endpointId } : { ...eventTypes[type].example },
  }
  return {
    delivery: {
      ...pendingAt(now),
      id: WebhookDeliveryId.make(deliveryId),
      endpointId,
      webhookId: event.id,
      positions: [],
      eventType: type,
      isTest: true,
      createdAt: now,
    },
    pieces: [{ position: no_position, json: JSON.stringify(settings.payload === "thin" ? thin(event) : event) }],
  }
}
