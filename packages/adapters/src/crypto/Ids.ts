// Ids from the uuid package. Its v7 is monotonic within a process: later ids sort later.
import { Ids } from "@tentpole/core/kernel/Ids"
import { Effect, Layer } from "effect"
import { v4, v7 } from "uuid"

export const layer = Layer.succeed(
  Ids,
  Ids.of({
    next: Effect.sync(() => v7()),
    generator: Effect.succeed(() => v7()),
    many: (count) => Effect.sync(() => Array.from({ length: count }, () => v7())),
    random: Effect.sync(() => v4()),
  }),
)
