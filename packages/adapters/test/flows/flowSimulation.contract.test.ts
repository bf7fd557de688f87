// Simulations compared with real flows, on both stores. `npm run test:deep` runs a thousand.
import { contract, StoreClock } from "@tentpole/core/contract"
import { DateTime, Effect, Layer } from "effect"
import { surroundings } from "../fixtures/FlowSurroundings.ts"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { connectionsTo, stoppedClock } from "../support/TestDatabase.ts"
import { memory, postgresOver } from "../fixtures/Stores.ts"

const isDeep = process.env["DEEP"] !== undefined

/** In memory, the clock of the caller. */
const memoryClock = Layer.succeed(StoreClock, StoreClock.of({ set: () => Effect.void }))

contract.flowSimulation(
  "memory",
  Layer.provideMerge(Layer.mergeAll(memoryTimes, memoryClock, surroundings), memory),
  isDeep ? 1_000 : 40,
)

const postgres = Layer.unwrap(
  Effect.map(stoppedClock, ({ set, url }) =>
    Layer.merge(
      postgresOver(connectionsTo(url)),
      Layer.succeed(StoreClock, StoreClock.of({ set: (at) => Effect.asVoid(set(DateTime.formatIso(at))) })),
    ),
  ),
)

contract.flowSimulation(
  "postgres",
  Layer.provideMerge(Layer.mergeAll(postgresTimes, surroundings), postgres),
  isDeep ? 50 : 3,
)
