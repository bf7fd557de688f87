// The handlers of the feed of events.
import { EventFeed } from "@tentpole/core/webhooks/EventFeed"
import { Effect } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, toCamelCase } from "../../Wire.ts"
import { eventTypeWires, toEventWire } from "./EventsApi.ts"

export const layer = handlersOf("events", EventFeed, (feed) => ({
  list: ({ query }, { id }) =>
    feed
      .list(id, toCamelCase(query))
      .pipe(answer(({ items, next }) => ({ events: items.map(toEventWire), next_cursor: next }))),
  find: ({ params }, { id }) => feed.get(id, params.eventId).pipe(answer(toEventWire)),
  types: () => Effect.succeed({ event_types: eventTypeWires }),
}))
