// What happened, for whoever wants to react to it: written with the change that made it happen, read in order by named
// consumers at their own pace.
import { Context, type DateTime, type Effect } from "effect"
import type { ContactId, WorkspaceId } from "./Ids.ts"
import type { Transaction } from "./Transactor.ts"

/** A fact of the past. Changes of the rooms carry these, and their stores append them. */
export interface DomainEvent {
  /** `contact_created`, `list_added`, `email_clicked` … */
  readonly type: string
  readonly contactId: ContactId | null
  readonly at: DateTime.Utc
  /** JSON; ids and plain values, never secrets. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface RecordedEvent extends DomainEvent {
  /** Grows with the order in which events may be read; opaque. */
  readonly position: string
}

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Stores of rooms do this for the events of a change; nobody has to remember it. */
    readonly append: (
      workspace: WorkspaceId,
      events: ReadonlyArray<DomainEvent>,
    ) => Effect.Effect<void, never, Transaction>
    /**
     * The next events for a consumer, at most `limit`, in an order that never skips one that commits later. A new
     * consumer begins with the oldest event kept.
     */
    readonly read: (
      workspace: WorkspaceId,
      consumer: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<RecordedEvent>>
    /** Says that the consumer has dealt with everything up to `position`; goes with what dealing with it wrote. */
    readonly advance: (
      workspace: WorkspaceId,
      consumer: string,
      position: string,
    ) => Effect.Effect<void, never, Transaction>
    /** Forgets events that are older than `days`; 7 days is what the worker asks for. Answers how many went. */
    readonly forget: (workspace: WorkspaceId, days: number) => Effect.Effect<number, never, Transaction>
  }
>()("tentpole/Outbox") {}
