// The feed of events in memory.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import { EventStore } from "@tentpole/core/webhooks/EventStore"
import { DateTime, Effect } from "effect"
import { contacts } from "../contacts/ContactTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { events, positionOf, stream } from "../kernel/Outbox.ts"

const withContact = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, event: RecordedEvent) {
  const found = event.contactId === null ? undefined : yield* db.find(contacts, workspace, event.contactId)
  if (found === undefined) return { event, contact: null }
  const { displayName: display_name, email, id: contact_id, phone } = found
  return { event, contact: { contact_id, email, phone, display_name } }
})

/** All events after a position, ascending. */
export const eventsAfter = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  position: string,
  limit: number,
) {
  const rows = (yield* db.all(events, workspace))
    .filter((event) => BigInt(event.position) > BigInt(position))
    .sort((left, right) => (left.position < right.position ? -1 : 1))
    .slice(0, limit)
  return yield* Effect.forEach(rows, (event) => withContact(db, workspace, event))
})

export const layer = storeLayer(EventStore, (db) =>
  EventStore.of({
    list: Effect.fnUntraced(function* (workspace, { after, contactId, limit, order, since, types, until }) {
      const last = yield* db.find(stream, workspace, "last")
      if (last === undefined) return null
      const rows = (yield* db.all(events, workspace))
        .filter(
          ({ at, contactId: of, position, type }) =>
            types.includes(type) &&
            (contactId === null || of === contactId) &&
            (since === null || DateTime.isGreaterThanOrEqualTo(at, since)) &&
            (until === null || DateTime.isLessThan(at, until)) &&
            (after === null || (order === "asc" ? position > positionOf(after) : position < positionOf(after))),
        )
        .sort((left, right) => (left.position < right.position === (order === "asc") ? -1 : 1))
        .slice(0, limit)
      return {
        events: yield* Effect.forEach(rows, (event) => withContact(db, workspace, event)),
        last: positionOf(last),
      }
    }),
    get: (workspace, position) =>
      Effect.flatMap(db.get(events, workspace, positionOf(position), "event"), (event) =>
        withContact(db, workspace, event),
      ),
  }),
)
