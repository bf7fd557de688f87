// The outbox: events in order. Stores write them with the change that causes them; named consumers read them.
import { Context, type DateTime, type Effect } from "effect"
import type { ContactId, WorkspaceId } from "../Ids.ts"
import type { Transaction } from "./Transactor.ts"

/** A fact. Changes carry events, and stores append them. */
export interface DomainEvent {
  /** `contact_created`, `list_added`, `email_clicked` … */
  readonly type: string
  readonly contactId: ContactId | null
  readonly at: DateTime.Utc
  /** JSON: ids and plain values, no secrets. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface RecordedEvent extends DomainEvent {
  /** Opaque. Grows in the order in which events may be read. */
  readonly position: string
}

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Stores call this for the events of a change. */
    readonly append: (
      workspace: WorkspaceId,
      events: ReadonlyArray<DomainEvent>,
    ) => Effect.Effect<void, never, Transaction>
    /**
     * The next events of a consumer, at most `limit`, in an order that never skips an event that commits later. A new consumer
     * begins with the oldest stored event.
     */
    readonly read: (
      workspace: WorkspaceId,
      consumer: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<RecordedEvent>>
    /** Marks everything up to `position` as consumed, in the transaction of what the consumer wrote. */
    readonly advance: (
      workspace: WorkspaceId,
      consumer: string,
      position: string,
    ) => Effect.Effect<void, never, Transaction>
    /** Deletes events older than `days` (the worker uses 7) and returns their number. */
    readonly delete: (workspace: WorkspaceId, days: number) => Effect.Effect<number, never, Transaction>
  }
>()("tentpole/Outbox") {}
