// The port of tracking: deliveries by their links, and what their recipients did.
import { Context, type Effect } from "effect"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { EngagementChange, TrackedDelivery } from "./Engagement.ts"

export class EngagementStore extends Context.Service<
  EngagementStore,
  {
    readonly get: (workspace: WorkspaceId, delivery: DeliveryId) => Effect.Effect<TrackedDelivery, NotFound>
    /**
     * The deliveries, of those asked for that are there, as nobody else changes them or their contacts until the transaction
     * ends. In whatever order they are named, and however often, they are locked in one order.
     */
    readonly lock: (
      workspace: WorkspaceId,
      deliveries: ReadonlyArray<DeliveryId>,
    ) => Effect.Effect<ReadonlyMap<DeliveryId, TrackedDelivery>, never, Transaction>
    /**
     * Writes the deliveries, the timelines and the events; unsubscribes contacts and suppresses addresses where it is so
     * decided. A delivery may have several changes, each decided on what the one before it leaves (`EngagementChange.ofAll`).
     */
    readonly apply: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<EngagementChange>,
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/EngagementStore") {}
