// The cookie of a session. Scripts can't read it, and browsers send it with requests of the console's own pages only.
import { session_days } from "@tentpole/core/accounts/Session"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isIPv4 } from "node:net"

/** Whether a host name is of this machine. The port is not part of it. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."))

interface CookieOptions {
  readonly name: string
  readonly secure: boolean
}

/** `__Host-` ties the cookie to the host; browsers accept it over HTTPS only. */
const optionsOf = (consoleUrl: URL): CookieOptions =>
  consoleUrl.protocol === "https:" ? { name: "__Host-tentpole", secure: true } : { name: "tentpole", secure: false }

export class SessionCookie extends Context.Service<
  SessionCookie,
  {
    /** False over plain HTTP to another machine, where anyone on the way can read the cookie. */
    readonly isSafe: boolean
    /** The token of a request's session. */
    readonly tokenOf: (request: HttpServerRequest.HttpServerRequest) => string | null
    /** Sets the cookie of the response. */
    readonly set: (token: string) => Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>
    readonly remove: Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>
  }
>()("tentpole/http/SessionCookie") {
  static readonly layer = Layer.effect(
    SessionCookie,
    Effect.map(Settings, ({ publicConsoleUrl }) => {
      const url = new URL(publicConsoleUrl)
      const { name, secure } = optionsOf(url)
      const put = (token: string, maxAge: number) =>
        HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(
            HttpServerResponse.setCookieUnsafe(response, name, token, {
              httpOnly: true,
              sameSite: "strict",
              path: "/",
              secure,
              maxAge: `${maxAge} days`,
            }),
          ),
        )
      return SessionCookie.of({
        isSafe: secure || isLoopback(url.hostname),
        tokenOf: ({ cookies }) => cookies[name] ?? null,
        set: (token) => put(token, session_days),
        remove: put("", 0),
      })
    }),
  )
}
