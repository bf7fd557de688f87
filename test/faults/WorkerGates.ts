// The gate that a campaign closes in a worker's process, to kill or freeze the worker there.
import { Gates, gateNames, type GateName } from "@tentpole/worker/Gates"
import { Config, Effect, Layer, Option } from "effect"
import { existsSync } from "node:fs"

const poll_ms = 20

/**
 * TENTPOLE_GATE=`<name>` closes one gate. The worker reports on standard error that it has reached the gate, and continues
 * when the file TENTPOLE_GATE_OPEN exists.
 */
export const fromEnvironment = Layer.effect(
  Gates,
  Effect.gen(function* () {
    const closed = yield* Config.option(Config.Literals(gateNames, "TENTPOLE_GATE"))
    const key = yield* Config.option(Config.String("TENTPOLE_GATE_OPEN"))
    if (Option.isNone(closed)) return () => Effect.void
    const isOpen = () => Option.isSome(key) && existsSync(key.value)
    return (name: GateName) =>
      name !== closed.value || isOpen()
        ? Effect.void
        : Effect.gen(function* () {
            process.stderr.write(`gate ${name}\n`)
            while (!isOpen()) yield* Effect.sleep(poll_ms)
          })
  }),
)
