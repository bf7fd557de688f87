// Schemas of webhook endpoints and deliveries.
import { OffsetInstant } from "@tentpole/core/contacts/values/OffsetInstant"
import { WebhookDeliveryId, WebhookEndpointId, WebhookReplayId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { renamed } from "@tentpole/core/kernel/Keys"
import type { LoggedAttempt } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { batch_type, deliveryStatuses, type WebhookDelivery } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import {
  ChangedWebhookHeaders,
  DeliveredPatterns,
  type EndpointFields,
  EventPatterns,
  MaxInFlight,
  type NewEndpoint,
  OverlapHours,
  WebhookBatchSchema,
  WebhookDescription,
  WebhookFilterSchema,
  WebhookHeaders,
  WebhookSecret,
} from "@tentpole/core/webhooks/endpoints/EndpointInput"
import type { EndpointWithStats } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import type { EndpointWithHours, EndpointWithSecret } from "@tentpole/core/webhooks/endpoints/WebhookEndpoints"
import { attemptErrors } from "@tentpole/core/webhooks/deliveries/Attempt"
import { disabledReasons, eventTypeNames } from "@tentpole/core/webhooks/EventCatalogue"
import { eventIdOf } from "@tentpole/core/webhooks/EventId"
import { url_length_max } from "@tentpole/core/webhooks/EndpointUrl"
import { Schema, Struct } from "effect"
import {
  InstantWire,
  iso,
  isoOrNull,
  listing,
  namesSomething,
  oneOf,
  readOnly,
  readOnlyKeys,
  Text,
  toSnakeCase,
} from "../../Wire.ts"

const url = Text(url_length_max, 1).annotate({
  description: "Where requests go. It begins with `https://`",
  examples: ["https://crm.example.org/hooks"],
})

const changeable = {
  description: Schema.optionalKey(WebhookDescription),
  filter: Schema.optionalKey(Schema.NullOr(WebhookFilterSchema)).annotate({
    description: "null: all events of the types",
  }),
  payload: Schema.optionalKey(oneOf("full", "thin")).annotate({
    description: "`full`: what changed, and the four fields of the contact. `thin`: ids alone. Default: `full`",
  }),
  mode: Schema.optionalKey(oneOf("parallel", "ordered")).annotate({
    description: "`ordered`: one request at a time, by `sequence`. Default: `parallel`",
  }),
  batch: Schema.optionalKey(Schema.NullOr(WebhookBatchSchema)).annotate({
    description: "null: one event in a request",
  }),
  max_in_flight: Schema.optionalKey(MaxInFlight).annotate({
    description: "Requests that may be open at the same time. `ordered` has one. Default: 20",
  }),
}

export const CreateWebhookEndpoint = Schema.Struct({
  url,
  event_types: EventPatterns,
  ...changeable,
  headers: Schema.optionalKey(WebhookHeaders),
  secret: Schema.optionalKey(WebhookSecret),
}).annotate({ identifier: "CreateWebhookEndpoint" })

const edited = {
  url: Schema.optionalKey(url),
  event_types: Schema.optionalKey(EventPatterns),
  ...changeable,
  headers: Schema.optionalKey(ChangedWebhookHeaders),
}

export const EditWebhookEndpoint = Schema.Struct({
  ...edited,
  secret: readOnly("can't change here: use /v1/webhook-endpoints/{endpointId}/rotate-secret"),
  status: readOnly("can't change here: use /v1/webhook-endpoints/{endpointId}/enable and /disable"),
  ...readOnlyKeys(
    "endpoint_id",
    "disabled_reason",
    "disabled_at",
    "secret_prefix",
    "previous_secret_expires_at",
    "stats",
    "created_at",
    "updated_at",
  ),
})
  .check(namesSomething(edited))
  .annotate({
    identifier: "EditWebhookEndpoint",
    description: "Omitted fields stay unchanged. `headers` are replaced as a whole, but null keeps a stored value",
  })

const names = {
  url: "url",
  description: "description",
  event_types: "eventTypes",
  filter: "filter",
  payload: "payload",
  mode: "mode",
  max_in_flight: "inFlight_max",
  headers: "headers",
} as const

const toBatch = ({ batch }: { readonly batch?: typeof WebhookBatchSchema.Type | null }) => {
  if (batch === undefined) return {}
  return { batch: batch === null ? null : { events_max: batch.max_events, wait_max_ms: batch.max_wait_ms } }
}

export const toNewEndpoint = (body: typeof CreateWebhookEndpoint.Type): NewEndpoint => ({
  ...renamed(body, { ...names, secret: "secret" }),
  ...toBatch(body),
})

export const toEndpointFields = (body: typeof EditWebhookEndpoint.Type): EndpointFields => ({
  ...renamed(body, names),
  ...toBatch(body),
})

const statsFields = {
  pending_count: Schema.Int.annotate({ description: "Deliveries that wait for an attempt" }),
  oldest_pending_at: Schema.NullOr(InstantWire),
  delivered_24h: Schema.Int.annotate({ description: "Deliveries that succeeded in the last 24 hours" }),
  failed_24h: Schema.Int.annotate({ description: "Deliveries that failed for good in the last 24 hours" }),
  consecutive_failures: Schema.Int.annotate({ description: "Failed attempts since the last success" }),
  last_success_at: Schema.NullOr(InstantWire),
  last_failure_at: Schema.NullOr(InstantWire),
  last_error_code: Schema.NullOr(Schema.String),
}

const endpointFields = {
  endpoint_id: WebhookEndpointId,
  url: Schema.String.annotate({ examples: ["https://crm.example.org/hooks"] }),
  description: Schema.NullOr(Schema.String),
  status: oneOf("enabled", "disabled"),
  disabled_reason: Schema.NullOr(oneOf(...disabledReasons)).annotate({
    description:
      "`requested`: by a call. `gone`: it answered 410. `failing`: 72 hours without a success. `stream_blocked`: the first event of its order was not accepted",
  }),
  disabled_at: Schema.NullOr(InstantWire),
  event_types: Schema.Array(Schema.String).annotate({ examples: [["contact.*", "email.bounced"]] }),
  filter: Schema.NullOr(WebhookFilterSchema),
  payload: oneOf("full", "thin"),
  mode: oneOf("parallel", "ordered"),
  batch: Schema.NullOr(WebhookBatchSchema),
  max_in_flight: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.Null).annotate({
    description: "Their names. The values can't be read",
    examples: [{ authorization: null }],
  }),
  secret_prefix: Schema.String.annotate({
    description: "The beginning of the secret, to recognize it",
    examples: ["whsec_MfKQ"],
  }),
  previous_secret_expires_at: Schema.NullOr(InstantWire).annotate({
    description: "Until then the secret before signs, too. null: there is none",
  }),
  stats: Schema.Struct(statsFields).annotate({ identifier: "WebhookStats" }),
  created_at: InstantWire,
  updated_at: InstantWire,
}

export const EndpointWire = Schema.Struct(endpointFields).annotate({ identifier: "WebhookEndpoint" })

export const EndpointWithHoursWire = Schema.Struct({
  ...endpointFields,
  stats: Schema.Struct({
    ...statsFields,
    hours: Schema.Array(
      Schema.Struct({
        at: InstantWire.annotate({ description: "When the hour begins, in UTC" }),
        delivered_count: Schema.Int,
        failed_count: Schema.Int,
      }).annotate({ identifier: "WebhookHour" }),
    ).annotate({
      description:
        "Deliveries that ended in each of the last 24 hours, the oldest first. The last hour is the present one",
    }),
  }).annotate({ identifier: "WebhookStatsWithHours" }),
}).annotate({ identifier: "WebhookEndpointWithHours" })

export const EndpointWithSecretWire = Schema.Struct({
  ...endpointFields,
  secret: Schema.String.annotate({
    description: "The key of the signatures. It is returned only in this response",
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  }),
}).annotate({ identifier: "WebhookEndpointWithSecret" })

export const EndpointsWire = listing({ webhook_endpoints: Schema.Array(EndpointWire) }).annotate({
  identifier: "WebhookEndpoints",
})

export const toEndpointWire = ({ endpoint, stats }: EndpointWithStats): typeof EndpointWire.Type => {
  const { batch, inFlight_max, ...settings } = endpoint.settings
  return {
    endpoint_id: endpoint.id,
    ...toSnakeCase(Struct.pick(endpoint, ["status", "disabledReason", "disabledAt", "createdAt", "updatedAt"])),
    ...toSnakeCase(settings),
    batch: batch === null ? null : { max_events: batch.events_max, max_wait_ms: batch.wait_max_ms },
    max_in_flight: inFlight_max,
    headers: Object.fromEntries(endpoint.headerNames.map((name) => [name, null])),
    secret_prefix: endpoint.secretPrefix,
    previous_secret_expires_at: isoOrNull(endpoint.previousSecret?.expiresAt ?? null),
    stats: {
      pending_count: stats.pending_count,
      oldest_pending_at: isoOrNull(stats.oldestPendingAt),
      delivered_24h: stats.delivered24h_count,
      failed_24h: stats.failed24h_count,
      consecutive_failures: stats.failuresInRow,
      last_success_at: isoOrNull(stats.lastSuccessAt),
      last_failure_at: isoOrNull(stats.lastFailureAt),
      last_error_code: stats.lastError,
    },
  }
}

export const toEndpointWithHoursWire = (it: EndpointWithHours): typeof EndpointWithHoursWire.Type => {
  const endpoint = toEndpointWire(it)
  return { ...endpoint, stats: { ...endpoint.stats, hours: it.hours.map((hour) => ({ ...hour, at: iso(hour.at) })) } }
}

export const toEndpointWithSecretWire = (it: EndpointWithSecret): typeof EndpointWithSecretWire.Type => ({
  ...toEndpointWire(it),
  secret: it.secret,
})

export const RotateSecret = Schema.Struct({
  overlap_hours: Schema.optionalKey(OverlapHours).annotate({
    description: "How long the secret before signs, too. Default: 24",
  }),
  secret: Schema.optionalKey(WebhookSecret),
}).annotate({ identifier: "RotateWebhookSecret" })

export const EnableEndpoint = Schema.Struct({
  from: Schema.optionalKey(oneOf("now", "stopped")).annotate({
    description: "`stopped`: with the events that it missed, as far as they are stored. Default: `now`",
  }),
}).annotate({ identifier: "EnableWebhookEndpoint" })

export const TestEndpoint = Schema.Struct({
  event_type: Schema.optionalKey(oneOf(...eventTypeNames)).annotate({
    description: "Sends the example of this type. Default: `webhook.test`",
  }),
}).annotate({ identifier: "TestWebhookEndpoint" })

/** The types of deliveries: those of events, and batches. */
export const deliveredTypes = [...eventTypeNames, batch_type] as const

const deliveryFields = {
  delivery_id: WebhookDeliveryId,
  endpoint_id: WebhookEndpointId,
  webhook_id: Schema.String.annotate({
    format: "uuid",
    description: "The header `webhook-id`: the id of the event, or of the batch. The same in all attempts",
  }),
  event_ids: Schema.Array(Schema.String.annotate({ format: "uuid" })).annotate({
    description: "One, or those of a batch",
  }),
  event_type: oneOf(...deliveredTypes),
  test: Schema.Boolean.annotate({ description: "Whether it is an example that a call sent, not an event" }),
  status: oneOf(...deliveryStatuses),
  reason: Schema.NullOr(oneOf("disabled", "erased", "event_gone")).annotate({
    description:
      "Why it ended without an answer. `disabled`: the endpoint was enabled again without what it missed. `erased`: the contact was erased. `event_gone`: its events were deleted by age",
  }),
  attempt_count: Schema.Int.annotate({ description: "All attempts, also of replays" }),
  next_attempt_at: Schema.NullOr(InstantWire),
  delivered_at: Schema.NullOr(InstantWire),
  created_at: InstantWire,
}

export const DeliveryWire = Schema.Struct(deliveryFields).annotate({ identifier: "WebhookDelivery" })

export const DeliveriesWire = listing({ deliveries: Schema.Array(DeliveryWire) }).annotate({
  identifier: "WebhookDeliveries",
})

const AttemptWire = Schema.Struct({
  attempt: Schema.Int.annotate({ description: "Counted from 1" }),
  at: InstantWire,
  duration_ms: Schema.NullOr(Schema.Int),
  status_code: Schema.NullOr(Schema.Int).annotate({ examples: [503] }),
  error_code: Schema.NullOr(oneOf(...attemptErrors)).annotate({ description: "null: the answer was 2xx" }),
  response_snippet: Schema.NullOr(Schema.String).annotate({
    description: "The first 1,000 characters of the answer, without control characters",
  }),
  replay: Schema.Boolean,
}).annotate({ identifier: "WebhookAttempt" })

export const LoggedDeliveryWire = Schema.Struct({
  ...deliveryFields,
  attempts: Schema.Array(AttemptWire).annotate({ description: "Those whose end is known" }),
  payload: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
    description: "The body of the requests. null: its events were deleted by age, or the contact was erased",
  }),
}).annotate({ identifier: "LoggedWebhookDelivery" })

/** A test has no event of the workspace: its own id is `webhook_id`. */
export const toDeliveryWire =
  (workspace: WorkspaceId) =>
  (delivery: WebhookDelivery): typeof DeliveryWire.Type => ({
    delivery_id: delivery.id,
    ...toSnakeCase(Struct.pick(delivery, ["endpointId", "webhookId", "status", "reason", "attemptCount"])),
    event_type: delivery.eventType as (typeof deliveredTypes)[number],
    event_ids: delivery.isTest
      ? [delivery.webhookId]
      : delivery.positions.map((position) => eventIdOf(workspace, position)),
    test: delivery.isTest,
    next_attempt_at: isoOrNull(delivery.nextAttemptAt),
    delivered_at: isoOrNull(delivery.deliveredAt),
    created_at: iso(delivery.createdAt),
  })

export const toAttemptWire = (attempt: LoggedAttempt): typeof AttemptWire.Type => ({
  attempt: attempt.attempt,
  at: iso(attempt.at),
  duration_ms: attempt.duration_ms,
  status_code: attempt.statusCode,
  error_code: attempt.error,
  response_snippet: attempt.snippet,
  replay: attempt.isReplay,
})

export const ReplayDeliveries = Schema.Struct({
  since: OffsetInstant.annotate({
    description: "Deliveries that were created at this time or later, and events of this time or later",
  }),
  until: Schema.optionalKey(OffsetInstant).annotate({ description: "… and before this time. Default: now" }),
  event_types: Schema.optionalKey(DeliveredPatterns).annotate({
    description: "Only deliveries of these types. Batches have the type `event.batch`. Default: all",
  }),
  status: Schema.optionalKey(oneOf("failed", "all")).annotate({
    description:
      "`all`: every delivery that has ended, and each event that has no delivery and that the endpoint wants now. Default: `failed`",
  }),
}).annotate({ identifier: "ReplayWebhookDeliveries" })

export const ReplayWire = Schema.Struct({
  replay_id: WebhookReplayId,
  matched_count: Schema.Int.annotate({ description: "Deliveries that are sent again, or for the first time" }),
}).annotate({ identifier: "WebhookReplay" })
