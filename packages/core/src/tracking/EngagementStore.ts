// The port of tracking: deliveries by their links, and the engagement of their recipients.
import { Context, type Effect } from "effect"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { LinkClicks } from "./LinkClicks.ts"
import type { EngagementChange, TrackedDelivery } from "./Engagement.ts"

export class EngagementStore extends Context.Service<
  EngagementStore,
  {
    readonly get: (workspace: WorkspaceId, delivery: DeliveryId) => Effect.Effect<TrackedDelivery, NotFound>
    /** Locks deliveries that exist, and their contacts, until the transaction ends; in one order, whatever that of the ids. */
    readonly lock: (
      workspace: WorkspaceId,
      deliveries: ReadonlyArray<DeliveryId>,
    ) => Effect.Effect<ReadonlyMap<DeliveryId, TrackedDelivery>, never, Transaction>
    /**
     * Writes the deliveries, the timelines and the events; unsubscribes contacts and suppresses addresses where the changes say
     * so. A delivery may have several changes, each decided on the result of the previous one (`EngagementChange.ofAll`).
     */
    readonly apply: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<EngagementChange>,
    ) => Effect.Effect<void, never, Transaction>
    /** Adds clicks to the sums of messages and of their blasts. The caller has locked the deliveries. One for each message and link. */
    readonly addClicks: (
      workspace: WorkspaceId,
      clicks: ReadonlyArray<LinkClicks>,
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/EngagementStore") {}
