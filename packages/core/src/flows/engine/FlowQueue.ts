// The port by which workers learn what flows wait for: members whose time has come, events that nobody has looked at, dates
// that have come. A row for each workspace and kind says when to look next; nothing of it is kept in a process.
import { Context, type DateTime, type Effect } from "effect"
import type { ContactId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import type { RecordedEvent } from "../../kernel/changes/Outbox.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { DateSlot } from "./DateSlots.ts"
import type { Flow } from "../definition/Flow.ts"

/** `flows`: members are due. `flow_events`: something has happened. `flow_dates`: a half hour has begun. */
export const flowWork = ["flows", "flow_events", "flow_dates"] as const
export type FlowWork = (typeof flowWork)[number]

export interface Turn {
  readonly workspace: WorkspaceId
  readonly kind: FlowWork
}

export interface NewEvents {
  /** In the order in which they may be read. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** Those that are active or paused. */
  readonly flows: ReadonlyArray<Flow>
  /** Whether the event came after the flow was activated, for the last time: nobody enters in retrospect. */
  readonly isSince: (event: RecordedEvent, flow: FlowId) => boolean
}

export interface PassedDates {
  /** Slots after this instant … */
  readonly after: DateTime.Utc
  /** … and up to this one have not been looked at. */
  readonly until: DateTime.Utc
  /** Active ones. */
  readonly flows: ReadonlyArray<Flow>
}

/** A contact's date, as it is kept: a day, or a UTC timestamp. */
export interface DatedContact {
  readonly contactId: ContactId
  readonly date: string
}

export class FlowQueue extends Context.Service<
  FlowQueue,
  {
    /** Work that may be waiting, what has waited longest first. Nobody else is given it for `turn_ms`. */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<Turn>, never, Transaction>
    /** After a turn: notes when to look again, which is at once when there is more to do. */
    readonly rest: (turn: Turn, more: boolean) => Effect.Effect<void, never, Transaction>

    /** The next events, at most `limit`; null while another worker deals with them. `Outbox.advance` goes with what it writes. */
    readonly newEvents: (workspace: WorkspaceId, limit: number) => Effect.Effect<NewEvents | null, never, Transaction>

    /** Two workers may be told the same: `fire` says whose each contact is. */
    readonly passedDates: (workspace: WorkspaceId) => Effect.Effect<PassedDates>
    /** Contacts by id, behind `after`, whose field holds a date that the slot may mean. */
    readonly dated: (
      workspace: WorkspaceId,
      asked: {
        readonly field: string
        readonly slot: DateSlot
        readonly after: ContactId | null
        readonly limit: number
      },
    ) => Effect.Effect<ReadonlyArray<DatedContact>>
    /** Notes that the day has come for these contacts in this flow; answers those for whom it had not. */
    readonly fire: (
      workspace: WorkspaceId,
      fired: { readonly flow: FlowId; readonly day: string; readonly contacts: ReadonlyArray<ContactId> },
    ) => Effect.Effect<ReadonlySet<ContactId>, never, Transaction>
    /** Everything up to this instant has been looked at. */
    readonly datesPassed: (workspace: WorkspaceId, until: DateTime.Utc) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/FlowQueue") {}

/** The consumer of the outbox that flows are. */
export const flow_consumer = "flows"
