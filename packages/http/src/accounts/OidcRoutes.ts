// The addresses of a sign-in with the identity provider: the way there, and the way back. Both redirect the browser.
import { Accounts } from "@tentpole/core/accounts/Accounts"
import { callback_path } from "@tentpole/core/accounts/oidc/Oidc"
import { OidcLogins } from "@tentpole/core/accounts/oidc/OidcLogins"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SessionCookie } from "../console/SessionCookie.ts"
import { answerWith } from "../edge/Edge.ts"
import { onResponseTo, originOf, replaceSession } from "./SignInRequests.ts"

const redirect = (location: string) =>
  HttpServerResponse.empty({
    status: 302,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  })

/** The sign-in says what went wrong. Refusals do not say why: all are alike. */
const failed = ({ _tag }: { readonly _tag: string }) =>
  redirect(`/#oidc=${_tag === "Unavailable" ? "unavailable" : _tag === "TooManySignIns" ? "limited" : "refused"}`)

const notSafe = answerWith(
  "https_required",
  "Over plain HTTP the session could be read on its way. Serve the console over HTTPS and set PUBLIC_CONSOLE_URL",
)

/** Without an identity provider there are no such addresses. */
export const oidcRoutes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const accounts = yield* Accounts
    const logins = yield* OidcLogins
    const cookie = yield* SessionCookie
    if (accounts.methods.oidcHost === null) return

    const start = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!cookie.isSafe) return notSafe
      const { searchParams } = new URL(request.url, "http://console")
      const started = yield* logins.start(searchParams.get("return_path"), searchParams.get("again") === "true")
      yield* onResponseTo(request)(cookie.login.set(started.sealed))
      return redirect(started.url)
    }).pipe(Effect.catch((failure) => Effect.succeed(failed(failure))))

    const callback = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* onResponseTo(request)(cookie.login.remove)
      const { identity, returnPath } = yield* logins.run(request.url, cookie.login.tokenOf(request))
      const session = yield* accounts.signIn({ identity }, yield* originOf(cookie, request))
      yield* replaceSession(accounts, cookie, request)(session)
      return redirect(returnPath)
    }).pipe(Effect.catch((failure) => Effect.succeed(failed(failure))))

    yield* router.add("GET", "/auth/v1/oidc/start", start)
    yield* router.add("GET", callback_path, callback)
  }),
)
