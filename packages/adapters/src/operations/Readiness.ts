// Whether this process takes new work. From the moment it is asked to stop it does not, and says so for a while before it
// stops listening: load balancers ask every few seconds, and send no more once they know.
import { Context, Effect, Layer, Ref } from "effect"

export class Readiness extends Context.Service<Readiness, Ref.Ref<boolean>>()("tentpole/operations/Readiness") {
  static readonly layer = Layer.effect(Readiness, Ref.make(true))
}

/** What listens is closed after this, when the process stops: until then it answers everything as ever. */
export const draining = (drain_s: number) =>
  Layer.effectDiscard(
    Effect.flatMap(Readiness, (taking) =>
      Effect.addFinalizer(() => Effect.andThen(Ref.set(taking, false), Effect.sleep(drain_s * 1000))),
    ),
  )
