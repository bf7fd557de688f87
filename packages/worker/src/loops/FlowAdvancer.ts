// Moves members of flows on: again and again, whatever waits in whichever workspace. Nothing is remembered between rounds and
// nothing is done outside the database, so that a worker may die at any moment, and any number of them may look.
import { FlowEngine } from "@tentpole/core/flows/engine/FlowEngine"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Effect, Layer } from "effect"

/** How soon work is noticed where there was none. */
const every_ms = 250

/** Also when mail is held: messages wait in the queue. */
export const layer = (look_every_ms = every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { work } = yield* FlowEngine
      const round = work.pipe(
        Effect.flatMap((found) => (found ? Effect.void : Effect.sleep(look_every_ms))),
        quietlyAfter(look_every_ms),
      )
      yield* Effect.forkScoped(Effect.forever(round))
    }),
  )

const quietlyAfter =
  (pause_ms: number) =>
  <R>(round: Effect.Effect<void, never, R>) =>
    round.pipe(
      Effect.tapCause(() => Effect.sleep(pause_ms)),
      logFailure("moving flows on failed", {}, "Warning"),
    )
