// The use cases of the feed: events of a workspace, for callers that no webhook can reach.
import { Context, type DateTime, Effect, Layer, Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import { Outbox } from "../kernel/changes/Outbox.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { BrokenCursor, type Listed, page_limit_default } from "../kernel/Page.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { type EventType, eventTypes, publicTypes } from "./EventCatalogue.ts"
import { type EventId, positionOf } from "./EventId.ts"
import { EventStore } from "./EventStore.ts"
import { type PublicEvent, publicEvent } from "./PublicEvent.ts"

export interface ListedEvents {
  readonly cursor?: string
  readonly limit?: number
  readonly type?: EventType
  readonly contactId?: ContactId
  readonly since?: DateTime.Utc
  readonly until?: DateTime.Utc
  readonly order?: "asc" | "desc"
}

/** The consumer that makes a workspace write its events for the feed. It reads nothing itself. */
const feed_consumer = "feed"

export class EventFeed extends Context.Service<
  EventFeed,
  {
    /**
     * Events, the newest first, or in the order of their sequence. In that order there is always a next cursor: walking on with
     * it skips no event and repeats none. The first call makes the workspace write its events.
     */
    readonly list: (workspace: WorkspaceId, by: ListedEvents) => Effect.Effect<Listed<PublicEvent>, BrokenCursor>
    readonly get: (workspace: WorkspaceId, id: EventId) => Effect.Effect<PublicEvent, NotFound>
  }
>()("tentpole/EventFeed") {
  static readonly layer = Layer.effect(
    EventFeed,
    Effect.gen(function* () {
      const store = yield* EventStore
      const outbox = yield* Outbox
      const { transact } = yield* Transactor
      return EventFeed.of({
        list: Effect.fn("EventFeed.list")(function* (workspace, by) {
          const { order = "desc", limit = page_limit_default } = by
          const query = {
            order,
            // One more than requested shows whether there are others.
            limit: limit + 1,
            after: by.cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(by.cursor)),
            types: by.type === undefined ? [...publicTypes.keys()] : [eventTypes[by.type].outbox],
            contactId: by.contactId ?? null,
            since: by.since ?? null,
            until: by.until ?? null,
          }
          let slice = yield* store.list(workspace, query)
          if (slice === null) {
            yield* transact(outbox.subscribe(workspace, feed_consumer))
            slice = yield* store.list(workspace, query)
          }
          const { events, last } = slice ?? { events: [], last: "0" }
          const items = events.slice(0, limit)
          const end = events.length > limit ? items.at(-1)?.event.position : undefined
          const next = end ?? (order === "asc" ? laterOf(last, query.after ?? "0") : null)
          return {
            items: items.flatMap((each) => publicEvent(workspace, each) ?? []),
            next: next === null ? null : Base64Url.encode(`after ${next}`),
          }
        }),

        get: Effect.fn("EventFeed.get")(function* (workspace, id) {
          const position = positionOf(workspace, id)
          const event = position === null ? null : publicEvent(workspace, yield* store.get(workspace, position))
          return event ?? (yield* new NotFound({ resource: "event" }))
        }),
      })
    }),
  )
}

/** A cursor never goes back. */
const laterOf = (left: string, right: string): string => (BigInt(left) < BigInt(right) ? right : left)

const decodeCursor = (cursor: string): Result.Result<string, BrokenCursor> => {
  const text = Result.getOrElse(Base64Url.decodeString(cursor), () => "")
  const [, position] = /^after (\d{1,18})$/.exec(text) ?? []
  return position === undefined ? Result.fail(new BrokenCursor()) : Result.succeed(position)
}
