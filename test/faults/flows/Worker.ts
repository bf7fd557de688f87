// The product's worker with short times, and with a clock that the campaign moves.
import { ports } from "@tentpole/adapters/FromConfig"
import { asProgram, processOf } from "@tentpole/adapters/Launch"
import { useCases } from "@tentpole/core/Tentpole"
import * as Loops from "@tentpole/worker/loops/Loops"
import * as Jobs from "@tentpole/worker/jobs/Jobs"
import { defaults, layer as sender } from "@tentpole/worker/sender/Sender"
import { Clock, Effect, Layer } from "effect"
import { times } from "../blasts/Times.ts"
import * as WorkerGates from "../WorkerGates.ts"

const look_every_ms = 50

let moved_ms = Number(process.env["CLOCK_MOVED_MS"] ?? 0)
process.on("message", (message: { readonly clock_moved_ms: number }) => {
  moved_ms = message.clock_moved_ms
})

const movedClock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real): Clock.Clock => {
    const nanos = () => real.currentTimeNanosUnsafe() + BigInt(moved_ms) * 1_000_000n
    return {
      currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + moved_ms,
      currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + moved_ms),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: real.monotonicTimeNanos,
      sleep: (duration) => real.sleep(duration),
    }
  }),
)

const worker = Layer.mergeAll(Jobs.layer, sender({ ...defaults, ...times }), Loops.flows(look_every_ms)).pipe(
  Layer.provide(WorkerGates.fromEnvironment),
)

asProgram(
  processOf("worker", (config) =>
    worker.pipe(
      Layer.provide(useCases),
      Layer.provide(ports(config, { name: "worker", connections_max: 12 })),
      Layer.provide(movedClock),
    ),
  ),
)
