// The loop that advances flows of all workspaces. All state is in the database, so that a worker may die at any moment and
// several workers may run the loop.
import { FlowEngine } from "@tentpole/core/flows/engine/FlowEngine"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Effect, Layer } from "effect"

/** Pause after a round that found no work. */
const every_ms = 250

/** Runs with `SENDING=held` too: messages then wait in the queue. */
export const layer = (look_every_ms = every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { run } = yield* FlowEngine
      const round = run.pipe(
        Effect.flatMap((found) => (found ? Effect.void : Effect.sleep(look_every_ms))),
        Effect.tapCause(() => Effect.sleep(look_every_ms)),
        logFailure("advancing flows failed", {}, "Warning"),
      )
      yield* Effect.forkScoped(Effect.forever(round))
    }),
  )
