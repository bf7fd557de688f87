// The port to webhook deliveries for callers of the API: the log, tests and replays.
import { Context, type DateTime, type Effect } from "effect"
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { EventWithContact } from "../PublicEvent.ts"
import type { AttemptError } from "./Attempt.ts"
import type { WebhookDelivery, WebhookDeliveryState, WebhookDeliveryStatus } from "./WebhookDelivery.ts"
import type { FannedOut } from "./WebhookQueue.ts"

export interface DeliveryLogQuery extends SliceQuery {
  readonly status: WebhookDeliveryStatus | null
  readonly eventType: string | null
  /** Created at this time or later … */
  readonly since: DateTime.Utc | null
  /** … and before this time. */
  readonly until: DateTime.Utc | null
}

/** An attempt whose end is known. */
export interface LoggedAttempt {
  /** Counted from 1. */
  readonly attempt: number
  readonly at: DateTime.Utc
  /** Null: the worker stopped before it had an answer. */
  readonly duration_ms: number | null
  readonly statusCode: number | null
  readonly error: AttemptError | null
  readonly snippet: string | null
  readonly isReplay: boolean
}

/** One event of a delivery as it is sent. */
export interface DeliveryPiece {
  /** `0` for a test. */
  readonly position: string
  /** The envelope as JSON. */
  readonly json: string
}

export interface LoggedDelivery {
  readonly delivery: WebhookDelivery
  readonly attempts: ReadonlyArray<LoggedAttempt>
  /** Ascending. None, or fewer than its positions: events were deleted by age or erased. */
  readonly pieces: ReadonlyArray<DeliveryPiece>
}

/** Which deliveries are replayed. Only those that have a piece left. */
export interface ReplaySelection {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  /** Null: all types. */
  readonly eventTypes: ReadonlyArray<string> | null
  readonly statuses: ReadonlyArray<WebhookDeliveryStatus>
}

/** Which events are sent if they have no delivery. */
export interface MissedSelection {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  /** Types of the outbox. */
  readonly types: ReadonlyArray<string>
}

export interface MissedEvents {
  /** Ascending. */
  readonly events: ReadonlyArray<EventWithContact>
  /** The last event that was looked at; null: there are no more. */
  readonly last: string | null
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Newest first; ids have the time of their creation. */
    readonly list: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      query: DeliveryLogQuery,
    ) => Effect.Effect<Sliced<WebhookDelivery>>
    readonly get: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      id: WebhookDeliveryId,
    ) => Effect.Effect<LoggedDelivery, NotFound>
    /** The same, and the delivery is locked until the transaction ends. */
    readonly lock: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      id: WebhookDeliveryId,
    ) => Effect.Effect<LoggedDelivery, NotFound, Transaction>
    /** Adds a pending delivery that no outbox event has caused: a test. Workers find it. */
    readonly add: (
      workspace: WorkspaceId,
      delivery: WebhookDelivery,
      pieces: ReadonlyArray<DeliveryPiece>,
    ) => Effect.Effect<void, never, Transaction>
    /** Writes the state of a locked delivery. Workers find it if it is pending. */
    readonly write: (
      workspace: WorkspaceId,
      id: WebhookDeliveryId,
      state: WebhookDeliveryState,
    ) => Effect.Effect<void, never, Transaction>
    /** How many deliveries a selection has, at most `limit`. */
    readonly count: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      selection: ReplaySelection,
      limit: number,
    ) => Effect.Effect<number>
    /**
     * Writes what `replayed` makes of each state, for the next `limit` deliveries of the selection after an id, in the order of
     * their ids. Returns the last id; null: there are no more.
     */
    readonly replay: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      selection: ReplaySelection,
      slice: {
        readonly after: WebhookDeliveryId | null
        readonly limit: number
        readonly replayed: (state: WebhookDeliveryState) => WebhookDeliveryState | null
      },
    ) => Effect.Effect<WebhookDeliveryId | null, never, Transaction>
    /**
     * Of the next `limit` events of the selection after a position, those that have no delivery to the endpoint. Only events that
     * its reader has left behind: fan-out adds no delivery of them any more.
     */
    readonly missed: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      selection: MissedSelection,
      slice: { readonly after: string; readonly limit: number },
    ) => Effect.Effect<MissedEvents>
    /** Adds pending deliveries of such events. An event that was erased since it was read is left out. Workers find them. */
    readonly addMissed: (
      workspace: WorkspaceId,
      deliveries: ReadonlyArray<FannedOut>,
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/DeliveryLog") {}
