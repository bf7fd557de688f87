// The port to the identity provider.
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../kernel/Refusal.ts"
import type { SignInRefused } from "../AccountErrors.ts"
import type { Identity, OidcLogin } from "./Oidc.ts"

export class OidcProvider extends Context.Service<
  OidcProvider,
  {
    /** The provider's address to which a browser goes. `again`: the person has to prove it, although signed in at the provider. */
    readonly authorize: (login: OidcLogin, again: boolean) => Effect.Effect<string, Unavailable>
    /** Exchanges the code in the address to which the browser came back. */
    readonly exchange: (returned: string, login: OidcLogin) => Effect.Effect<Identity, SignInRefused | Unavailable>
  }
>()("tentpole/OidcProvider") {}
