// Tests of the key of the first start.
import { type Configuration, configuration } from "@tentpole/adapters/Configuration"
import { firstKey } from "@tentpole/http/FirstStart"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const chosen = "a".repeat(40)

it.effect("the first start returns the key that it created, and not the one that the operator chose", () =>
  Effect.gen(function* () {
    const bootstrap = ({ apiKey }: { readonly apiKey: string | null }) =>
      Effect.succeed({ workspace: {}, key: { raw: apiKey ?? "random" } })
    const workspaces = { bootstrap } as unknown as Workspaces["Service"]
    const keyWith = (environment: Record<string, string>) => {
      const config: Configuration = Result.getOrThrow(configuration({ NODE_ENV: "development", ...environment }))
      return Effect.provideService(firstKey(config), Workspaces, workspaces)
    }
    assert.strictEqual(yield* keyWith({}), "random")
    assert.isNull(yield* keyWith({ BOOTSTRAP_API_KEY: chosen }))
  }),
)
