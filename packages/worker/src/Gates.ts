// Points at which tests of faults stop a worker, to kill it or freeze it just there. Off unless TENTPOLE_GATE names one.
import { Config, Context, Effect, Layer, Option } from "effect"
import { existsSync } from "node:fs"

export const gateNames = ["after-claim", "before-intent", "after-intent", "before-settle"] as const
export type GateName = (typeof gateNames)[number]

/** Passing a gate; it stops whoever comes to it as long as it is closed. */
export const Gates = Context.Reference<(name: GateName) => Effect.Effect<void>>("tentpole/worker/Gates", {
  defaultValue: () => () => Effect.void,
})

const look_ms = 20

/**
 * TENTPOLE_GATE=`<name>` closes one gate: it says so on standard error, and opens when the file that TENTPOLE_GATE_OPEN names
 * is there, if ever.
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
            while (!isOpen()) yield* Effect.sleep(look_ms)
          })
  }),
)
