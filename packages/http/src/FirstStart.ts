// The first start against an empty database makes a workspace with a key. Whichever process comes first does it and shows
// the key, once.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Actor } from "@tentpole/core/kernel/Actor"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"

/** Answers the raw key when it has just been made. */
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
      if (key !== null) process.stdout.write(`The first API key, shown this once: ${key}\n`)
    }),
  )
