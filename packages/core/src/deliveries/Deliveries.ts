// What can be done with the deliveries of a blast, besides sending them.
import { Context, Effect, Layer } from "effect"
import type { FixedAudience } from "../blasts/Blast.ts"
import type { BlastId, WorkspaceId } from "../Ids.ts"
import { Transactor } from "../Transactor.ts"
import { type AudienceGone, DeliveryStore } from "./DeliveryStore.ts"

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Fixes the audience of a blast that is sending, once, and makes its workspace due. Null when the blast is not sending
     * (any more).
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
        fixAudience: Effect.fn("Deliveries.fixAudience")(store.fixAudience, transact),
      })
    }),
  )
}
