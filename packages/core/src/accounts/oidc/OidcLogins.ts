// The use cases of a sign-in with the identity provider: the way there, and the way back.
import { Context, DateTime, Effect, Layer, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { decodeText, encodeText } from "../../kernel/Bytes.ts"
import type { Unavailable } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { SignInRefused } from "../AccountErrors.ts"
import { newToken } from "../Session.ts"
import { type Identity, login_minutes, type OidcLogin, returnPathOf } from "./Oidc.ts"
import { OidcProvider } from "./OidcProvider.ts"

const purpose = "oidc login"

const decodeLogin = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      state: Schema.String,
      nonce: Schema.String,
      verifier: Schema.String,
      returnPath: Schema.String,
      expires_ms: Schema.Number,
    }),
  ),
)

export class OidcLogins extends Context.Service<
  OidcLogins,
  {
    /** The provider's address for the browser, and the sealed sign-in, which the browser keeps. */
    readonly start: (
      returnPath: string | null,
      again: boolean,
    ) => Effect.Effect<{ readonly url: string; readonly sealed: string }, Unavailable>
    /** Who signed in. `returned`: the address with which the browser came back. */
    readonly run: (
      returned: string,
      sealed: string | null,
    ) => Effect.Effect<{ readonly identity: Identity; readonly returnPath: string }, SignInRefused | Unavailable>
  }
>()("tentpole/OidcLogins") {
  static readonly layer = Layer.effect(
    OidcLogins,
    Effect.gen(function* () {
      const provider = yield* OidcProvider
      const secrets = yield* Secrets
      const token = newToken.pipe(Effect.provideService(Secrets, secrets))

      /** The sign-in, if it is one of the last ten minutes. */
      const opened = Effect.fnUntraced(function* (sealed: string | null) {
        const bytes = Base64Url.decode(sealed ?? "")
        if (Result.isFailure(bytes)) return null
        const text = yield* Effect.option(secrets.open(purpose, bytes.success))
        const login = Option.getOrNull(Option.flatMap(Option.map(text, decodeText), decodeLogin))
        const now = yield* DateTime.now
        return login !== null && login.expires_ms > now.epochMilliseconds ? login : null
      })

      return OidcLogins.of({
        start: Effect.fn("OidcLogins.start")(function* (returnPath, again) {
          const now = yield* DateTime.now
          const login: OidcLogin = {
            state: yield* token,
            nonce: yield* token,
            verifier: yield* token,
            returnPath: returnPathOf(returnPath),
            expires_ms: now.epochMilliseconds + login_minutes * 60_000,
          }
          const sealed = yield* secrets.seal(purpose, encodeText(JSON.stringify(login)))
          return { url: yield* provider.authorize(login, again), sealed: Base64Url.encode(sealed) }
        }),

        run: Effect.fn("OidcLogins.run")(function* (returned, sealed) {
          const login = (yield* opened(sealed)) ?? (yield* new SignInRefused())
          return { identity: yield* provider.exchange(returned, login), returnPath: returnPathOf(login.returnPath) }
        }),
      })
    }),
  )
}
