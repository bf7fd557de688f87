// Whether this process accepts new work. A stopping process reports that it is not ready for a while before it stops
// listening: load balancers poll every few seconds, and then send no more requests.
import { Context, Effect, Layer, Ref } from "effect"

export class Readiness extends Context.Service<Readiness, Ref.Ref<boolean>>()("tentpole/operations/Readiness") {
  static readonly layer = Layer.effect(Readiness, Ref.make(true))
}

/** Listeners close after this time when the process stops. Until then they answer as before. */
export const draining = (drain_s: number) =>
  Layer.effectDiscard(
    Effect.flatMap(Readiness, (taking) =>
      Effect.addFinalizer(() => Effect.andThen(Ref.set(taking, false), Effect.sleep(drain_s * 1000))),
    ),
  )
