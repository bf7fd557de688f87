// Tests of the doctor's check of the identity provider.
import { configuration } from "@tentpole/adapters/Configuration"
import { OidcServer } from "@tentpole/adapters/test/OidcServer"
import { identityProvider } from "@tentpole/http/doctor/Oidc"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const examine = (environment: Record<string, string>) =>
  identityProvider(
    Result.getOrThrow(configuration({ PUBLIC_CONSOLE_URL: "https://console.example.org", ...environment })),
  )

it.live("tentpole doctor fetches the identity provider's document, and prints the redirect address", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* examine({}), [])
    const provider = yield* Effect.promise(() => OidcServer.start())
    const settings = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "s" }
    const [well] = yield* examine(settings)
    assert.strictEqual(well?.state, "ok")
    assert.include(well?.says ?? "", "https://console.example.org/auth/v1/oidc/callback")
    provider.isDown = true
    const [ill] = yield* examine(settings)
    assert.strictEqual(ill?.state, "wrong")
    assert.include(ill?.mend ?? "", "OIDC_ISSUER")
    yield* Effect.promise(() => provider.close())
  }),
)
