// The product's worker for campaigns: with short times, a gate, a clock that can be moved, and an event loop that can be blocked.
import { ports } from "@tentpole/adapters/FromConfig"
import { asProgram, processOf } from "@tentpole/adapters/Launch"
import { useCases } from "@tentpole/core/Tentpole"
import { Gates } from "@tentpole/worker/Gates"
import * as DueWatch from "@tentpole/worker/DueWatch"
import * as Loops from "@tentpole/worker/loops/Loops"
import * as Jobs from "@tentpole/worker/jobs/Jobs"
import { defaults, layer as sender, type SenderOptions } from "@tentpole/worker/sender/Sender"
import { Clock, Effect, Layer } from "effect"
import { existsSync } from "node:fs"

const look_every_ms = 20
const epoch_every_ms = 50
const gate_poll_ms = 20

let moved_ms = Number(process.env["CLOCK_MOVED_MS"] ?? 0)

process.on("message", (message: { readonly block_ms?: number; readonly clock_moved_ms?: number }) => {
  moved_ms = message.clock_moved_ms ?? moved_ms
  const end = performance.now() + (message.block_ms ?? 0)
  while (performance.now() < end) {
    // The process does nothing else.
  }
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

const closed = process.env["TENTPOLE_GATE"]
const isOpen = () => existsSync(process.env["TENTPOLE_GATE_OPEN"] ?? "")

/**
 * TENTPOLE_GATE=`<name>` closes one gate. The worker reports on standard error that it has reached the gate, and continues
 * when the file TENTPOLE_GATE_OPEN exists.
 */
const gates = Layer.succeed(Gates, (name) =>
  name !== closed || isOpen()
    ? Effect.void
    : Effect.gen(function* () {
        process.stderr.write(`gate ${name}\n`)
        while (!isOpen()) yield* Effect.sleep(gate_poll_ms)
      }),
)

const short: Partial<SenderOptions> = JSON.parse(process.env["SENDER_OPTIONS"] ?? "{}")

const worker = Layer.mergeAll(Jobs.layer, sender({ ...defaults, ...short }), Loops.flows).pipe(
  Layer.provide(Loops.epochs(Number(process.env["EPOCH_EVERY_MS"] ?? epoch_every_ms))),
  Layer.provide([gates, DueWatch.layer(look_every_ms)]),
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
