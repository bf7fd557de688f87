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
    /**
     * Adds a consumer. It reads the events of all transactions that commit later, and no earlier ones. Does nothing if the
     * consumer exists.
     */
    readonly subscribe: (workspace: WorkspaceId, consumer: string) => Effect.Effect<void, never, Transaction>
    /**
     * Stores call this for the events of a change. They are written just before the commit, and only if the workspace has a
     * consumer.
     */
    readonly append: (
      workspace: WorkspaceId,
      events: ReadonlyArray<DomainEvent>,
    ) => Effect.Effect<void, never, Transaction>
    /** The next events of a consumer, at most `limit`, in the order of their commits. No event is read before an earlier one. */
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
  }
>()("tentpole/Outbox") {}
