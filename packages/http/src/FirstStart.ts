// The first start on an empty database: creates a workspace with an API key. The first process does it and prints the key
// once.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"

/** Returns the raw key to print if it was created now. Null if not, and for `BOOTSTRAP_API_KEY`: the operator knows it. */
export const firstKey = (config: Configuration) =>
  Effect.gen(function* () {
    const { bootstrap } = yield* Workspaces
    const chosen = config.bootstrapApiKey
    const { key } = yield* bootstrap({ apiKey: chosen === null ? null : Redacted.value(chosen) }).pipe(
      Effect.provideService(Actor, "cli"),
    )
    return chosen === null ? (key?.raw ?? null) : null
  })

export const layer = (config: Configuration) =>
  Layer.effectDiscard(
    Effect.map(firstKey(config), (key) => {
      if (key !== null) process.stdout.write(`The first API key (not shown again): ${key}\n`)
    }),
  )
