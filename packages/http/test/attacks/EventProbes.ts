// Fixtures of the attacks on the feed of events: a contact whose creation is an event.
import { Effect } from "effect"
import { posting } from "./AttackFixture.ts"
import type { Estate, Room } from "./AttackSuite.ts"
import { operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"

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
