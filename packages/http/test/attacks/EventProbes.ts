// Fixtures of the attacks on the feed of events, on webhook endpoints and on their deliveries.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WebhookDeliveryId, WebhookEndpointId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DeliveryLog } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { Context, Effect } from "effect"
import { posting } from "./AttackFixture.ts"
import type { Estate, Probe, Room, Side, UseCases } from "./AttackSuite.ts"
import { type Attack, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import { type Json, unknownId } from "../fixtures/World.ts"

interface EventsEstate extends Estate {
  readonly contact_id: string
  readonly eventId: string
}

export const events: Room<EventsEstate> = {
  name: "events",
  operations: operationsOf(tenants, ["/v1/events", "/v1/event-types"]),
  probes: {},
  settle: Effect.fnUntraced(function* ({ call }, field) {
    // Events are written from the first reading on.
    yield* call("GET", "/v1/events")
    const items = [{ email: `${field}@example.com`, display_name: field }]
    const contacts = yield* posting(call)("/v1/contacts", { items })
    const feed = yield* call("GET", "/v1/events")
    return { contact_id: contacts.items[0].contact_id, eventId: feed.json.events[0].id, field }
  }),
  readable: ({ eventId }) => ["/v1/events", "/v1/events?order=asc", `/v1/events/${eventId}`, "/v1/contacts"],
  found: (json) => json.events.length,
  ids: ["contact_id", "eventId"],
}

interface WebhookEstate extends Estate {
  readonly endpointId: string
  /** It has failed, and can be replayed. */
  readonly deliveryId: string
}

/** Ends a delivery as a worker does. The worlds of tests have stores, too. */
const fail = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  endpoint: string,
  id: string,
  context: Context.Context<UseCases>,
) {
  const all = context as Context.Context<UseCases | DeliveryLog | Transactor>
  const log = Context.get(all, DeliveryLog)
  const deliveryId = WebhookDeliveryId.make(id)
  const { delivery } = yield* log.get(workspace, WebhookEndpointId.make(endpoint), deliveryId)
  const failed = { ...delivery, status: "failed", attemptCount: 1, failedCount: 1, nextAttemptAt: null } as const
  yield* Context.get(all, Transactor).transact(log.write(workspace, deliveryId, failed))
}, Effect.orDie)

const settleWebhooks = Effect.fnUntraced(function* (
  { call, workspace }: Side,
  field: string,
  context: Context.Context<UseCases>,
) {
  const post = posting(call)
  // A workspace can have 50, and attacks create some.
  const others: Json = (yield* call("GET", "/v1/webhook-endpoints?limit=100")).json.webhook_endpoints
  for (const { endpoint_id } of others.length < 40 ? [] : others) {
    yield* call("DELETE", `/v1/webhook-endpoints/${endpoint_id}`)
  }
  const created = yield* post("/v1/webhook-endpoints", {
    url: "https://example.org/hooks",
    event_types: ["*"],
    description: field,
  })
  const endpointId: string = created.endpoint_id
  const sent = yield* post(`/v1/webhook-endpoints/${endpointId}/test`)
  yield* fail(workspace, endpointId, sent.delivery_id, context)
  const estate: WebhookEstate = { endpointId, deliveryId: sent.delivery_id, field }
  return estate
})

const settings = (): Json => ({
  url: "https://example.org/hooks",
  description: "our CRM",
  event_types: ["contact.*", "email.bounced"],
  filter: { list_ids: [unknownId], blast_ids: [unknownId], tags: { kind: "receipt" } },
  payload: "thin",
  mode: "ordered",
  batch: { max_events: 10, max_wait_ms: 100 },
  max_in_flight: 5,
  headers: { authorization: "Bearer x" },
})

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const one = "/v1/webhook-endpoints/{endpointId}"

const webhookProbes: Readonly<Record<string, Probe<WebhookEstate>>> = {
  "POST /v1/webhook-endpoints": [() => ({ ...settings(), secret })],
  [`PATCH ${one}`]: [settings],
  [`POST ${one}/rotate-secret`]: [() => ({ overlap_hours: 1, secret })],
  [`POST ${one}/enable`]: [() => ({ from: "stopped" })],
  [`POST ${one}/test`]: [() => ({ event_type: "contact.created" })],
  [`POST ${one}/replay`]: [
    () => ({
      since: "2020-05-01T10:00:00Z",
      until: "2020-05-02T10:00:00Z",
      event_types: ["contact.*"],
      status: "all",
    }),
  ],
}

/** Objects with free keys. The keys of prototypes are refused there, too. */
const isFree = ({ wrong }: Attack): boolean =>
  /^(headers|filter\.tags)\./.test(wrong ?? "") && !/\.(__proto__|constructor)$/.test(wrong ?? "")

export const webhooks: Room<WebhookEstate> = {
  name: "webhooks",
  operations: operationsOf(tenants, ["/v1/webhook-endpoints"]),
  probes: webhookProbes,
  settle: settleWebhooks,
  renewed: (side, { field }, context) => settleWebhooks(side, field, context),
  readable: ({ deliveryId, endpointId }) => [
    "/v1/webhook-endpoints?limit=100",
    `/v1/webhook-endpoints/${endpointId}`,
    `/v1/webhook-endpoints/${endpointId}/deliveries`,
    `/v1/webhook-endpoints/${endpointId}/deliveries/${deliveryId}`,
  ],
  ids: [],
  adapted: (attack) => (isFree(attack) ? { ...attack, expected: "either" } : attack),
}
