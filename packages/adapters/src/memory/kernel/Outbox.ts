// The outbox in memory.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DomainEvent, Outbox, type RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { hintDue } from "./DueWork.ts"
import { MemoryDatabase, type Rows, table } from "./MemoryDatabase.ts"

export const events = table<RecordedEvent>("outbox_event")
const consumers = table<string>("outbox_consumer")
export const stream = table<number>("outbox_stream")

const width = 12
export const positionOf = (sequence: number | string): string => String(sequence).padStart(width, "0")

/** Appends events if the workspace has a consumer. The stores call it with the events of their changes. */
export const appendEvents = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  added: ReadonlyArray<DomainEvent>,
) {
  if (added.length === 0 || (yield* db.all(consumers, workspace)).length === 0) return
  const last = (yield* db.find(stream, workspace, "last")) ?? 0
  yield* db.put(stream, workspace, "last", last + added.length)
  for (const [index, event] of added.entries()) {
    const position = positionOf(last + 1 + index)
    yield* db.put(events, workspace, position, { ...event, position })
  }
  const now = yield* DateTime.now
  yield* hintDue(db, "flow_events", workspace, now)
  yield* hintDue(db, "webhooks", workspace, now)
})

/** Adds a consumer if there is none of this name, and returns the position of the newest event. */
export const subscribe = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, consumer: string) {
  const last = positionOf((yield* db.find(stream, workspace, "last")) ?? 0)
  if ((yield* db.find(consumers, workspace, consumer)) === undefined) {
    yield* db.put(consumers, workspace, consumer, last)
  }
  return last
})

/** Removes a consumer. Without one, events are no longer written. */
export const unsubscribe = (db: Rows, workspace: WorkspaceId, consumer: string) =>
  db.remove(consumers, workspace, consumer)

export const layer = Layer.effect(
  Outbox,
  Effect.map(MemoryDatabase, (db) =>
    Outbox.of({
      subscribe: (workspace, consumer) =>
        Effect.andThen(Transaction, Effect.asVoid(subscribe(db, workspace, consumer))),
      append: (workspace, added) => Effect.andThen(Transaction, appendEvents(db, workspace, added)),
      read: Effect.fnUntraced(function* (workspace, consumer, limit) {
        const after = yield* db.find(consumers, workspace, consumer)
        if (after === undefined) return []
        return (yield* db.all(events, workspace))
          .filter((event) => event.position > after)
          .sort((left, right) => (left.position < right.position ? -1 : 1))
          .slice(0, limit)
      }),
      advance: Effect.fnUntraced(function* (workspace, consumer, position) {
        yield* Transaction
        const at = yield* db.find(consumers, workspace, consumer)
        if (at !== undefined && position > at) yield* db.put(consumers, workspace, consumer, position)
      }),
    }),
  ),
)
