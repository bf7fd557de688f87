// The hourly maintenance loop. Every worker runs it; maintenance is idempotent.
import { Maintenance } from "@tentpole/core/ports/Maintenance"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Layer, Schedule } from "effect"

const every = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { run } = yield* Maintenance
    const { retention } = yield* Settings
    yield* run(retention).pipe(
      logFailure("maintenance failed and is tried again", {}, "Warning"),
      Effect.repeat(Schedule.spaced(every)),
      Effect.forkScoped,
    )
  }),
)
