// The check of the identity provider of the console.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { discover } from "@tentpole/adapters/oidc/OidcProvider"
import { callback_path } from "@tentpole/core/accounts/oidc/Oidc"
import { Effect } from "effect"
import { type Finding, ok, wrong } from "./Finding.ts"

/** Fetches the provider's document. Nothing to check without a provider. */
export const identityProvider = ({ oidc, publicConsoleUrl }: Configuration): Effect.Effect<ReadonlyArray<Finding>> => {
  if (oidc === null) return Effect.succeed([])
  const redirectAddress = `${publicConsoleUrl}${callback_path}`
  return Effect.tryPromise({ try: () => discover(oidc), catch: (cause) => cause }).pipe(
    Effect.match({
      onSuccess: () => [
        ok("OIDC", `${oidc.issuer} answers; the redirect address to register there is ${redirectAddress}`),
      ],
      onFailure: (cause) => [
        wrong(
          "OIDC",
          `${oidc.issuer} can't be used: ${cause instanceof Error ? cause.message : String(cause)}`,
          `Check OIDC_ISSUER, which must be the provider's own name for itself, and register ${redirectAddress} there.`,
        ),
      ],
    }),
  )
}
