// The first start on an empty database: creates a workspace with an API key. The first process does it and prints the key
// once, or reports it to `tentpole start`.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { notifyParent } from "@tentpole/adapters/Launch"
import { Accounts } from "@tentpole/core/accounts/Accounts"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"
import { type FirstStart, reports_first_start } from "./cli/start/FirstReport.ts"

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

/** The sign-in link while there is no user. It replaces earlier ones. */
const firstLink = ({ consolePort }: Configuration) =>
  consolePort === 0 ? Effect.succeed(null) : Accounts.use((accounts) => accounts.firstLink)

export const layer = (config: Configuration) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const key = yield* firstKey(config)
      if (process.argv.includes(reports_first_start)) {
        yield* notifyParent({ key, link: yield* firstLink(config) } satisfies FirstStart)
      } else if (key !== null) process.stdout.write(`The first API key (not shown again): ${key}\n`)
    }),
  )
