// Tests of the gates in a worker of a campaign.
import { Gates } from "@tentpole/worker/Gates"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fromEnvironment } from "./WorkerGates.ts"

const gates = (environment: Record<string, string>) =>
  Effect.gen(function* () {
    return yield* Gates
  }).pipe(
    Effect.provide(fromEnvironment.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment))))),
  )

describe("the gates of a campaign's worker", () => {
  it.live("are open when TENTPOLE_GATE is not set", () =>
    Effect.gen(function* () {
      const pass = yield* gates({})
      yield* pass("before-intent")
      yield* pass("before-settle")
    }),
  )

  it.live("stop a worker at the named gate until the key file exists", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "gates-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true })),
      )
      const key = join(folder, "open")
      const pass = yield* gates({ TENTPOLE_GATE: "before-settle", TENTPOLE_GATE_OPEN: key })
      yield* pass("before-intent")
      const waiting = yield* Effect.forkChild(pass("before-settle"))
      yield* Effect.sleep("60 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* Effect.promise(() => writeFile(key, ""))
      yield* Fiber.join(waiting)
      yield* pass("before-settle")
    }).pipe(Effect.scoped),
  )

  it.live("refuse an unknown name", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.exit(gates({ TENTPOLE_GATE: "somewhere" })))._tag, "Failure")
    }),
  )
})
