// What sign-ins read from their requests, and the session that they set.
import type { Accounts } from "@tentpole/core/accounts/Accounts"
import type { NewSession, SignInOrigin } from "@tentpole/core/accounts/signIn/Credentials"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { SessionCookie } from "../console/SessionCookie.ts"
import { callerAddress, networkOf } from "../pages/ClientAddress.ts"

type Request = HttpServerRequest.HttpServerRequest

export const originOf = ({ browser }: SessionCookie["Service"], request: Request) =>
  Effect.map(callerAddress, (addressOf): SignInOrigin => {
    const address = addressOf(request)
    return {
      agent: request.headers["user-agent"] ?? "",
      network: address === null ? null : networkOf(address),
      browser: browser.tokenOf(request),
    }
  })

/** Sets headers and cookies of the response to a request. */
export const onResponseTo = (request: Request) => Effect.provideService(HttpServerRequest.HttpServerRequest, request)

/** Sets the cookie of a new session, and ends the session that the browser had, so that no forgotten one stays. */
export const replaceSession =
  (accounts: Accounts["Service"], cookie: SessionCookie["Service"], request: Request) =>
  ({ token }: NewSession) =>
    Effect.gen(function* () {
      const before = cookie.tokenOf(request)
      yield* onResponseTo(request)(cookie.set(token))
      if (before === null) return
      const { session, user } = yield* accounts.authenticate(before)
      yield* accounts.endSession(user.id, session.id)
    }).pipe(Effect.ignore)
