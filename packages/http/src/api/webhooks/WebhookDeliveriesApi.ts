// The API of webhook deliveries: the log of an endpoint, and replays.
import { attempts_max, deliveryStatuses } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import { replay_deliveries_max } from "@tentpole/core/webhooks/endpoints/WebhookErrors"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, DayOrInstant, nothing, oneOf } from "../../Wire.ts"
import {
  DeliveriesWire,
  deliveredTypes,
  DeliveryWire,
  LoggedDeliveryWire,
  ReplayDeliveries,
  ReplayWire,
} from "./WebhookWire.ts"

const one = "/v1/webhook-endpoints/:endpointId"

export const WebhookDeliveriesApi = Endpoint.group(
  "webhookDeliveries",
  "What was sent to a webhook endpoint, and how it answered.",
).add(
  Endpoint.get("list", `${one}/deliveries`, {
    needs: "viewer",
    summary: "List webhook deliveries",
    description:
      "Returns the deliveries of the endpoint, the newest first. A delivery is one event, or a batch of events, with all its attempts.",
    query: {
      ...cursorQuery,
      status: Schema.optionalKey(oneOf(...deliveryStatuses)),
      event_type: Schema.optionalKey(oneOf(...deliveredTypes)),
      since: Schema.optionalKey(DayOrInstant),
      until: Schema.optionalKey(DayOrInstant),
    },
    success: DeliveriesWire,
    errors: ["not_found", "invalid_cursor"],
  }),
  Endpoint.get("find", `${one}/deliveries/:deliveryId`, {
    needs: "viewer",
    summary: "Get a webhook delivery",
    description: "Returns one delivery with its attempts and the body of its requests.",
    success: LoggedDeliveryWire,
  }),
  Endpoint.post("replay", `${one}/deliveries/:deliveryId/replay`, {
    needs: "owner",
    summary: "Replay a webhook delivery",
    description: `Sends a delivery that has ended again, with the same \`webhook-id\` and body, in up to ${attempts_max} attempts. A disabled endpoint gets it when it is enabled with \`from: stopped\`.`,
    payload: nothing,
    success: DeliveryWire.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "invalid_state", "event_gone"],
  }),
  Endpoint.post("replayAll", `${one}/replay`, {
    needs: "owner",
    summary: "Replay webhook deliveries",
    description: `Sends the deliveries of a time again: those that failed, or with \`status: all\` every one that has ended, at most ${replay_deliveries_max.toLocaleString("en-US")}. Events that the endpoint did not ask for are not sent. An endpoint has one such replay at a time.`,
    payload: ReplayDeliveries,
    success: ReplayWire.pipe(HttpApiSchema.status(202)),
    errors: ["validation_failed", "not_found", "replay_too_large", "replay_in_progress"],
  }),
)
