// The section `webhooks` of the OpenAPI document: the request that each type of event makes, and that of a batch.
import { batch_type } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import { type EventType, eventTypeNames, eventTypes } from "@tentpole/core/webhooks/EventCatalogue"
import { id, instant } from "./ExampleValues.ts"
import type { Json } from "./Json.ts"

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
})

const headers = [
  header("webhook-id", "The id of the event, or of the batch. The same in all attempts", id),
  header("webhook-timestamp", "Unix seconds of the attempt", "1777627800"),
  header(
    "webhook-signature",
    "`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`. While a secret is replaced, two of them with a space between",
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  ),
]

const responses = {
  "2XX": { description: "The event is taken. Only the status counts" },
  "410": { description: "The endpoint is gone: it is disabled" },
  default: { description: "The request is repeated, up to ten times in 76 hours. Redirects are not followed" },
}

const request = (name: string, summary: string, description: string, schema: Json, example: Json): Json => ({
  post: {
    operationId: `webhooks.${name}`,
    summary,
    description,
    parameters: headers,
    requestBody: { required: true, content: { "application/json": { schema, example } } },
    responses,
  },
})

/** The name of the schema of an event: `FlowMemberEnteredEvent`. */
export const schemaNameOf = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

const exampleOf = (type: EventType): Json => ({
  id,
  type,
  timestamp: instant,
  sequence: "00000000000000000000000000000a2a",
  workspace_id: id,
  test: type === "webhook.test",
  data: eventTypes[type].example,
})

const inWords = (type: string): string => type.replaceAll(/[._]/g, " ").replace(/^./, (letter) => letter.toUpperCase())

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const one = (type: EventType): Json =>
  request(type, inWords(type), eventTypes[type].description, ref(schemaNameOf(type)), exampleOf(type))

const ofBatch = (): Json => {
  const { data: _, ...envelope } = exampleOf("contact.created")
  const schema = {
    type: "object",
    required: ["id", "type", "timestamp", "sequence", "workspace_id", "test", "data"],
    properties: {
      id: { type: "string", format: "uuid" },
      type: { type: "string", enum: [batch_type] },
      timestamp: { type: "string", format: "date-time" },
      sequence: { type: "string", description: "That of the last event" },
      workspace_id: { type: "string", format: "uuid" },
      test: { type: "boolean" },
      data: {
        type: "object",
        required: ["events"],
        properties: { events: { type: "array", items: ref("PublicEvent"), description: "In the order of `sequence`" } },
      },
    },
  }
  const description = "Several events, to an endpoint with `batch`. One answer counts for all of them."
  const example = { ...envelope, type: batch_type, data: { events: [exampleOf("contact.created")] } }
  return request(batch_type, "Batch of events", description, schema, example)
}

/** Adds the section. An endpoint with the payload `thin` gets data with ids alone. */
export const withEventWebhooks = (document: Json): Json => ({
  ...document,
  webhooks: {
    ...Object.fromEntries(eventTypeNames.map((type) => [type, one(type)])),
    [batch_type]: ofBatch(),
  },
})
