// The endpoints of the feed of events, and their schemas.
import { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { event_days_min } from "@tentpole/core/ports/Maintenance"
import { type EventType, eventTypeNames, eventTypes } from "@tentpole/core/webhooks/EventCatalogue"
import { EventId } from "@tentpole/core/webhooks/EventId"
import type { PublicEvent } from "@tentpole/core/webhooks/PublicEvent"
import { Schema } from "effect"
import { schemaNameOf } from "../../description/EventWebhooks.ts"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, DayOrInstant, documentOf, InstantWire, listing, oneOf, orderParameter } from "../../Wire.ts"

type DataOf<Type extends EventType> = (typeof eventTypes)[Type]["data"]

const envelope = {
  id: EventId,
  timestamp: InstantWire.annotate({ description: "When it happened. ISO 8601, UTC" }),
  sequence: Schema.String.annotate({
    description: "32 hexadecimal digits. Their text order is the order of the events",
    examples: ["00000000000000000000000000000a2a"],
  }),
  workspace_id: WorkspaceId,
  test: Schema.Boolean.annotate({ description: "Whether it is an example that a test sent" }),
}

const EventOf = <Type extends EventType>(type: Type) => {
  const { data, description }: { readonly data: DataOf<Type>; readonly description: string } = eventTypes[type]
  return Schema.Struct({ type: Schema.Literal(type), ...envelope, data }).annotate({
    identifier: schemaNameOf(type),
    description,
  })
}

type Each = { readonly [Type in EventType]: ReturnType<typeof EventOf<Type>> }[EventType]
type EventWire = Each["Type"]

/** `type` says which data an event has. */
const EventWire = Schema.Union(eventTypeNames.map(EventOf)).annotate({ identifier: "PublicEvent" }) as Schema.Codec<
  EventWire,
  Each["Encoded"]
>

const EventTypeWire = Schema.Struct({
  type: oneOf(...eventTypeNames),
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "The JSON Schema of `data`" }),
  example: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "An example of `data`" }),
}).annotate({ identifier: "EventType" })

export const eventTypeWires: ReadonlyArray<typeof EventTypeWire.Type> = eventTypeNames.map((type) => {
  const { data, description, example } = eventTypes[type]
  return { type, description, schema: documentOf(data), example: { ...example } }
})

/** The catalogue declares the data of each type. */
export const toEventWire = (event: PublicEvent): EventWire => event as unknown as EventWire

export const EventsApi = Endpoint.group("events", "What happened in the workspace, in order.").add(
  Endpoint.get("list", "/v1/events", {
    needs: "viewer",
    summary: "List events",
    description: `Returns events, the newest first. To process each event once, walk with \`order=asc\` and the last \`next_cursor\`: in this order it is never null, and it may be stored. A page that is not full ends at the newest event: wait before the next call. Events are stored from the first call on, for at least ${event_days_min} days. Events of openings and clicks by machines, and of test messages, do not exist. Types may get more fields.`,
    query: {
      ...cursorQuery,
      order: orderParameter,
      type: Schema.optionalKey(
        oneOf(...eventTypeNames).annotate({ description: "Returns only events of this type. Default: all types" }),
      ),
      contact_id: Schema.optionalKey(ContactId),
      since: Schema.optionalKey(DayOrInstant),
      until: Schema.optionalKey(DayOrInstant),
    },
    success: listing({ events: Schema.Array(EventWire) }).annotate({ identifier: "Events" }),
    errors: ["invalid_cursor"],
  }),
  Endpoint.get("find", "/v1/events/:eventId", {
    needs: "viewer",
    summary: "Get an event",
    description: `Returns one event. Events are stored for at least ${event_days_min} days.`,
    success: EventWire,
  }),
  Endpoint.get("types", "/v1/event-types", {
    needs: "viewer",
    summary: "List event types",
    description: "Returns all types of events, each with the JSON Schema of its data and an example.",
    success: Schema.Struct({ event_types: Schema.Array(EventTypeWire) }).annotate({ identifier: "EventTypes" }),
  }),
)
