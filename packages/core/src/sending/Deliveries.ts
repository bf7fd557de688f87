// The use cases of a blast's deliveries, besides sending them.
import { Context, Effect, Layer } from "effect"
import type { FixedAudience } from "./Delivery.ts"
import type { BlastId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type AudienceGone, DeliveryStore } from "./DeliveryStore.ts"

/** Contacts read by one transaction: few at first, so that the first message leaves soon, then many, for speed. */
const first_slice = 10_000
const slice_max = 100_000

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Fixes the audience of a blast that is sending, once, and makes its workspace due. It works slice by slice, so that the
     * first messages leave at once, whatever the size. After a kill between two slices it continues where it was. Null when the
     * blast is not sending (any more).
     */
    readonly fixAudience: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<FixedAudience | null, AudienceGone>
  }
>()("tentpole/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { transact } = yield* Transactor
      return Deliveries.of({
        fixAudience: Effect.fn("Deliveries.fixAudience")(function* (workspace, blast) {
          for (let contacts = first_slice; ; contacts = Math.min(2 * contacts, slice_max)) {
            const fixed = yield* transact(store.fixAudience(workspace, blast, contacts))
            if (fixed !== "unfinished") return fixed
          }
        }),
      })
    }),
  )
}
