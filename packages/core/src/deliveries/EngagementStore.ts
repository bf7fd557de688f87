// The port of tracking: a delivery by its link, and what its recipient did.
import { Context, type Effect } from "effect"
import type { DeliveryId, WorkspaceId } from "../Ids.ts"
import type { NotFound } from "../Refusal.ts"
import type { Transaction } from "../Transactor.ts"
import type { EngagementChange, TrackedDelivery } from "./Engagement.ts"

export class EngagementStore extends Context.Service<
  EngagementStore,
  {
    readonly find: (workspace: WorkspaceId, delivery: DeliveryId) => Effect.Effect<TrackedDelivery, NotFound>
    /** The delivery as nobody else changes it until the transaction ends. */
    readonly lock: (
      workspace: WorkspaceId,
      delivery: DeliveryId,
    ) => Effect.Effect<TrackedDelivery, NotFound, Transaction>
    /** Writes the marks, the timeline and the events; unsubscribes the contact and suppresses the address if so decided. */
    readonly apply: (workspace: WorkspaceId, change: EngagementChange) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/EngagementStore") {}
