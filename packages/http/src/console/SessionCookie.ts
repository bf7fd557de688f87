// The cookies of sessions, of passkeys' challenges, and of sign-ins with the identity provider. Scripts can't read them. Browsers
// send the first two with requests of the console's own pages only.
import { login_minutes } from "@tentpole/core/accounts/oidc/Oidc"
import { challenge_minutes } from "@tentpole/core/accounts/passkeys/Passkey"
import { session_days } from "@tentpole/core/accounts/Session"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isIPv4 } from "node:net"

/** Whether a host name is of this machine. The port is not part of it. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."))

interface Cookie {
  /** The token of a request. */
  readonly tokenOf: (request: HttpServerRequest.HttpServerRequest) => string | null
  /** Sets the cookie of the response. */
  readonly set: (token: string) => Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>
  readonly remove: Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>
}

/** `__Host-` ties the cookie to the host; browsers accept it over HTTPS only. */
const cookieOf = (
  suffix: string,
  isSecure: boolean,
  maxAge: `${number} ${"days" | "minutes"}`,
  sameSite: "lax" | "strict" = "strict",
): Cookie => {
  const name = `${isSecure ? "__Host-" : ""}tentpole${suffix}`
  const put = (token: string, age: typeof maxAge) =>
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(
        HttpServerResponse.setCookieUnsafe(response, name, token, {
          httpOnly: true,
          sameSite,
          path: "/",
          secure: isSecure,
          maxAge: age,
        }),
      ),
    )
  return {
    tokenOf: ({ cookies }) => cookies[name] ?? null,
    set: (token) => put(token, maxAge),
    remove: put("", "0 days"),
  }
}

export class SessionCookie extends Context.Service<
  SessionCookie,
  Cookie & {
    /** False over plain HTTP to another machine, where anyone on the way can read the cookie. */
    readonly isSafe: boolean
    /** The cookie of a browser that requested a challenge for a passkey. */
    readonly browser: Cookie
    /** The cookie of a sign-in with the identity provider, which leads the browser back from another site. */
    readonly login: Cookie
  }
>()("tentpole/http/SessionCookie") {
  static readonly layer = Layer.effect(
    SessionCookie,
    Effect.map(Settings, ({ publicConsoleUrl }) => {
      const { hostname, protocol } = new URL(publicConsoleUrl)
      const isSecure = protocol === "https:"
      return SessionCookie.of({
        ...cookieOf("", isSecure, `${session_days} days`),
        browser: cookieOf("-passkey", isSecure, `${challenge_minutes} minutes`),
        login: cookieOf("-login", isSecure, `${login_minutes} minutes`, "lax"),
        isSafe: isSecure || isLoopback(hostname),
      })
    }),
  )
}
