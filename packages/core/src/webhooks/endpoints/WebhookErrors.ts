// Refusals about webhook endpoints and their deliveries.
import { Schema } from "effect"
import { refusalClass } from "../../kernel/Refusal.ts"
import { endpoints_max } from "./WebhookEndpoint.ts"

/** The deliveries of one replay. */
export const replay_deliveries_max = 100_000

export class WebhookEndpointLimit extends refusalClass<WebhookEndpointLimit>()("WebhookEndpointLimit", {
  code: "webhook_endpoint_limit",
  fields: { current: Schema.Int },
  message: () => `A workspace can have at most ${endpoints_max} webhook endpoints. Delete one first`,
  extras: ({ current }) => ({ limit: endpoints_max, current }),
}) {}

export class ReplayTooLarge extends refusalClass<ReplayTooLarge>()("ReplayTooLarge", {
  code: "replay_too_large",
  message: () =>
    `More than ${replay_deliveries_max.toLocaleString("en-US")} deliveries match. Choose a shorter time, or fewer types`,
  extras: () => ({ limit: replay_deliveries_max }),
}) {}

export class ReplayInProgress extends refusalClass<ReplayInProgress>()("ReplayInProgress", {
  code: "replay_in_progress",
  fields: { replayId: Schema.String },
  message: () => "A replay of this endpoint is in progress. Start another one when it has ended",
  extras: ({ replayId }) => ({ replay_id: replayId }),
}) {}

export class EventGone extends refusalClass<EventGone>()("EventGone", {
  code: "event_gone",
  message: () =>
    "The events of this delivery were deleted by age, or their contact was erased: they can't be sent again",
}) {}
