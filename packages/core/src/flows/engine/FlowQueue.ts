// The port to pending flow work: due members, new events, and due dates. A row for each workspace and kind says when its next
// turn is; processes hold no state. A workspace with nothing due has no turns.
import { Context, type DateTime, type Effect } from "effect"
import type { ContactId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import type { RecordedEvent } from "../../kernel/changes/Outbox.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { DateSlot } from "./DateSlots.ts"
import type { Flow } from "../definition/Flow.ts"

/** `flows`: members are due. `flow_events`: there are new events. `flow_dates`: a half hour has begun. */
export const flowWork = ["flows", "flow_events", "flow_dates"] as const
export type FlowWork = (typeof flowWork)[number]

export interface Turn {
  readonly workspace: WorkspaceId
  readonly kind: FlowWork
  /** The fencing token. */
  readonly token: string
}

export interface EventBatch {
  /** In outbox order. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** Active and paused flows. */
  readonly flows: ReadonlyArray<Flow>
  /** Whether the event is later than the flow's last activation. Earlier events enroll no contact. */
  readonly isSince: (event: RecordedEvent, flow: FlowId) => boolean
}

export interface PendingDates {
  /** Slots after this instant … */
  readonly after: DateTime.Utc
  /** … and up to this one are pending. */
  readonly until: DateTime.Utc
  /** Active flows. */
  readonly flows: ReadonlyArray<Flow>
}

/** A contact's date as stored: a day, or a UTC timestamp. */
export interface DatedContact {
  readonly contactId: ContactId
  readonly date: string
}

export class FlowQueue extends Context.Service<
  FlowQueue,
  {
    /**
     * Claims pending turns, the longest waiting first. Other workers do not receive them for `turn_ms`, unless a transaction
     * creates new work. A turn that is not ended is pending again after that time.
     */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<Turn>, never, Transaction>
    /**
     * Schedules the next turn: immediately if there is more work, otherwise when the next work is due. Without such work the
     * workspace has no turn until a transaction creates some. Changes nothing if the workspace has become pending since.
     */
    readonly endTurn: (turn: Turn, more: boolean) => Effect.Effect<void, never, Transaction>

    /** The next events, at most `limit`; null while another worker consumes them. `Outbox.advance` follows in the transaction. */
    readonly newEvents: (workspace: WorkspaceId, limit: number) => Effect.Effect<EventBatch | null, never, Transaction>

    /** Two workers may get the same result: `recordFired` decides which of them enrolls each contact. */
    readonly pendingDates: (workspace: WorkspaceId) => Effect.Effect<PendingDates>
    /** Contacts by id after `after`, whose field has a date that matches the slot's prefixes. */
    readonly listDatedContacts: (
      workspace: WorkspaceId,
      query: {
        readonly field: string
        readonly slot: DateSlot
        readonly after: ContactId | null
        readonly limit: number
      },
    ) => Effect.Effect<ReadonlyArray<DatedContact>>
    /** Records that the day has fired for these contacts; returns the contacts for which it had not. */
    readonly recordFired: (
      workspace: WorkspaceId,
      fired: { readonly flow: FlowId; readonly day: string; readonly contacts: ReadonlyArray<ContactId> },
    ) => Effect.Effect<ReadonlySet<ContactId>, never, Transaction>
    /** Records that slots up to this instant have fired. */
    readonly completeDates: (workspace: WorkspaceId, until: DateTime.Utc) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/FlowQueue") {}

/** The name of the flows' outbox consumer. */
export const flow_consumer = "flows"
