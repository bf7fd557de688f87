// The outbox in memory.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DomainEvent, Outbox, type RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Clock, Effect, Layer } from "effect"
import { hintDue } from "../flows/MembershipTables.ts"
import { MemoryDatabase, type Rows, table } from "./MemoryDatabase.ts"

interface Row {
  readonly event: RecordedEvent
  readonly recordedAt_ms: number
}

const events = table<Row>("outbox_event")
const consumers = table<string>("outbox_consumer")
const sequence = table<number>("outbox_sequence")

const width = 12
const positionOf = (sequence: number): string => String(sequence).padStart(width, "0")

/** Appends events. The stores call it with the events of their changes. */
export const appendEvents = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  added: ReadonlyArray<DomainEvent>,
) {
  if (added.length === 0) return
  const recordedAt_ms = yield* Clock.currentTimeMillis
  const last = (yield* db.find(sequence, workspace, "last")) ?? 0
  yield* db.put(sequence, workspace, "last", last + added.length)
  for (const [index, event] of added.entries()) {
    const position = positionOf(last + 1 + index)
    yield* db.put(events, workspace, position, { event: { ...event, position }, recordedAt_ms })
  }
  yield* hintDue(db, "flow_events", workspace)
})

/** The position of the newest event. */
export const lastPosition = (db: Rows, workspace: WorkspaceId): Effect.Effect<string> =>
  Effect.map(db.find(sequence, workspace, "last"), (last) => positionOf(last ?? 0))

export const layer = Layer.effect(
  Outbox,
  Effect.map(MemoryDatabase, (db) =>
    Outbox.of({
      append: (workspace, added) => Effect.andThen(Transaction, appendEvents(db, workspace, added)),
      read: Effect.fnUntraced(function* (workspace, consumer, limit) {
        const after = (yield* db.find(consumers, workspace, consumer)) ?? ""
        return (yield* db.all(events, workspace))
          .map((row) => row.event)
          .filter((event) => event.position > after)
          .sort((left, right) => (left.position < right.position ? -1 : 1))
          .slice(0, limit)
      }),
      advance: Effect.fnUntraced(function* (workspace, consumer, position) {
        yield* Transaction
        const at = (yield* db.find(consumers, workspace, consumer)) ?? ""
        if (position > at) yield* db.put(consumers, workspace, consumer, position)
      }),
      delete: Effect.fnUntraced(function* (workspace, days) {
        yield* Transaction
        const before = (yield* Clock.currentTimeMillis) - days * 86_400_000
        const old = (yield* db.all(events, workspace)).filter((row) => row.recordedAt_ms < before)
        for (const row of old) yield* db.remove(events, workspace, row.event.position)
        return old.length
      }),
    }),
  ),
)
