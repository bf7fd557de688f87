// The port to the feed of events, for reading them.
import { Context, type DateTime, type Effect } from "effect"
import type { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { EventWithContact } from "./PublicEvent.ts"

export interface EventQuery {
  readonly order: "asc" | "desc"
  /** A position: events after it in this order. Null: from the beginning. */
  readonly after: string | null
  readonly limit: number
  /** Types of the outbox. */
  readonly types: ReadonlyArray<string>
  readonly contactId: ContactId | null
  /** Events that happened at this time or later … */
  readonly since: DateTime.Utc | null
  /** … and before this time. */
  readonly until: DateTime.Utc | null
}

export interface EventSlice {
  readonly events: ReadonlyArray<EventWithContact>
  /** The position of the last event of the workspace that this reading could see. All later ones will have greater positions. */
  readonly last: string
}

export class EventStore extends Context.Service<
  EventStore,
  {
    /** The next events, at most `limit`; null: nothing reads the workspace's events, and so none are written. */
    readonly list: (workspace: WorkspaceId, query: EventQuery) => Effect.Effect<EventSlice | null>
    /** The event at a position. */
    readonly get: (workspace: WorkspaceId, position: string) => Effect.Effect<EventWithContact, NotFound>
  }
>()("tentpole/EventStore") {}
