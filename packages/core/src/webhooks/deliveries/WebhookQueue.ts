// The port of workers to webhooks that wait. One worker at a time serves the webhooks of a workspace: it has a lease, and a fencing
// token that is part of all its writes. A row for each workspace (`due_work`, kind `webhooks`) says when its next turn is.
import { Context, type DateTime, type Effect } from "effect"
import type { WebhookDeliveryId, WebhookEndpointId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { EventWithContact } from "../PublicEvent.ts"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.ts"
import type { DeliveryPiece, LoggedAttempt } from "./DeliveryLog.ts"
import type { EndpointHealth } from "./EndpointHealth.ts"
import type { WebhookDelivery, WebhookDeliveryState } from "./WebhookDelivery.ts"

export interface WebhookTurn {
  readonly workspace: WorkspaceId
  /** The fencing token of the turn in `due_work`. */
  readonly token: string
}

/** The right to serve the webhooks of a workspace. */
export interface WebhookLease {
  readonly workspace: WorkspaceId
  /** Greater than every earlier one of the workspace. */
  readonly token: string
}

/** An endpoint as a worker serves it. */
export interface ServedEndpoint {
  readonly endpoint: WebhookEndpoint
  /** The last event whose delivery is written, or that it does not want. */
  readonly position: string
  readonly health: EndpointHealth
}

/** A new delivery, and its events. */
export interface FannedOut {
  readonly delivery: WebhookDelivery
  readonly pieces: ReadonlyArray<DeliveryPiece & { readonly contactId: string | null }>
}

export interface ClaimedDelivery {
  readonly delivery: WebhookDelivery
  /** Ascending. None: they were deleted by age or erased. */
  readonly pieces: ReadonlyArray<DeliveryPiece>
}

/** What an attempt of a claimed delivery has changed. */
export interface SettledDelivery {
  readonly id: WebhookDeliveryId
  readonly endpointId: WebhookEndpointId
  readonly state: WebhookDeliveryState
  /** Null: it ended without an attempt. */
  readonly attempt: LoggedAttempt | null
}

export interface ServedHealth {
  readonly endpointId: WebhookEndpointId
  readonly health: EndpointHealth
  /** Null: as before. */
  readonly lastSuccessAt: DateTime.Utc | null
  readonly lastError: string | null
}

export class WebhookQueue extends Context.Service<
  WebhookQueue,
  {
    /** Claims workspaces that are due, the longest waiting first. Each is due again after `turn_ms`, unless its turn ends before. */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<WebhookTurn>, never, Transaction>
    /** Schedules the next turn; null: none until there is more work. Changes nothing if the workspace has become due since. */
    readonly endTurn: (turn: WebhookTurn, due: DateTime.Utc | null) => Effect.Effect<void, never, Transaction>
    /**
     * The next attempt of each enabled endpoint that has a pending delivery: of the first one in order, if it is ordered. Of disabled
     * ones, and of those that skip what they missed, of tests.
     */
    readonly nextDue: (workspace: WorkspaceId) => Effect.Effect<ReadonlyMap<WebhookEndpointId, DateTime.Utc>>

    /**
     * Null: another worker has the lease. Otherwise deliveries that an earlier lease had claimed are free again, and due now: an
     * attempt with the error `unknown_outcome` is logged for each, as `expired` makes it of the state before.
     */
    readonly acquire: (
      workspace: WorkspaceId,
      options: {
        readonly lease_ms: number
        readonly expired: (delivery: WebhookDelivery) => SettledDelivery
      },
    ) => Effect.Effect<WebhookLease | null, never, Transaction>
    /** False: the lease has gone to another worker. */
    readonly renew: (lease: WebhookLease, lease_ms: number) => Effect.Effect<boolean, never, Transaction>
    /** Another worker may have the workspace at once. */
    readonly release: (lease: WebhookLease) => Effect.Effect<void, never, Transaction>

    /** Enabled endpoints, and disabled ones with a pending test. */
    readonly endpoints: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<ServedEndpoint>>
    /** All events of the outbox after a position, ascending. */
    readonly eventsAfter: (
      workspace: WorkspaceId,
      position: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<EventWithContact>>
    /**
     * Adds deliveries and moves positions, which only go forward: a delivery whose events the endpoint has taken over is not added
     * again. Returns those of `claimed` that were added, and that this lease has claimed thereby: none of an endpoint that skips what
     * it missed. Changes nothing and returns null if the lease has gone.
     */
    readonly fanOut: (
      lease: WebhookLease,
      written: {
        readonly deliveries: ReadonlyArray<FannedOut>
        readonly positions: ReadonlyMap<WebhookEndpointId, string>
        readonly claimed?: ReadonlySet<WebhookDeliveryId>
      },
    ) => Effect.Effect<ReadonlySet<WebhookDeliveryId> | null, never, Transaction>
    /**
     * Claims deliveries of an endpoint that are due, in the order of their next attempt; `ordered`: in the order of their events,
     * and none after one that is not due yet. Only tests while the endpoint skips what it missed. None if the lease has gone, or
     * the endpoint is deleted.
     */
    readonly claim: (
      lease: WebhookLease,
      endpoint: WebhookEndpointId,
      options: { readonly limit: number; readonly ordered: boolean; readonly testsOnly: boolean },
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, never, Transaction>
    /**
     * Writes the ends of attempts, frees their claims, adds to the hourly counts of the endpoint, and writes the health, unless the
     * endpoint was enabled since. A delivery that this lease has not claimed any more stays as it is. Nothing if the lease has gone.
     */
    readonly settle: (
      lease: WebhookLease,
      written: { readonly settled: ReadonlyArray<SettledDelivery>; readonly healths: ReadonlyArray<ServedHealth> },
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/WebhookQueue") {}

/** The name of the consumer of the outbox. */
export const webhook_consumer = "webhooks"
