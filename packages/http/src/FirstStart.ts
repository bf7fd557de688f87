// The first start on an empty database: creates a workspace with an API key. The first process does it and prints the key
// once.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"

/** Returns the raw key if it was created now, otherwise null. */
export const firstKey = (config: Configuration) =>
  Effect.gen(function* () {
    const { bootstrap } = yield* Workspaces
    const chosen = config.bootstrapApiKey
    const { key } = yield* bootstrap({ apiKey: chosen === null ? null : Redacted.value(chosen) }).pipe(
      Effect.provideService(Actor, "cli"),
    )
    return key?.raw ?? null
  })

export const layer = (config: Configuration) =>
  Layer.effectDiscard(
    Effect.map(firstKey(config), (key) => {
      if (key !== null) process.stdout.write(`The first API key (not shown again): ${key}\n`)
    }),
  )
