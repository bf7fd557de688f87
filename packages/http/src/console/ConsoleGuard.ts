// Refusal of requests that don't come from the console's own pages: forged requests of other sites, and DNS rebinding.
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerWith } from "../edge/Edge.ts"
import { isLoopback } from "./SessionCookie.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method" | "url">

const hostOf = (url: string): URL | null => (URL.canParse(url) ? new URL(url) : null)

/** The host that the request names is the console's, in any spelling of this machine if the console runs on it. */
const isOwnHost = (own: URL, host: string): boolean => {
  const named = hostOf(`${own.protocol}//${host}`)
  if (named === null) return false
  return isLoopback(own.hostname) ? isLoopback(named.hostname) : named.host === own.host
}

/** Paths whose requests can change something or read data. The others serve the console's files. */
const guarded = /^\/(?:v1|admin|auth)(?=[/?]|$)/
/** A description, and the way back from the identity provider: another site leads there, with a state that it has from a cookie. */
const free = /^\/auth\/v1\/(?:openapi\.json|oidc\/callback)(?=[?]|$)/

/** Whether a page of this origin sent the request. Browsers set both headers; no page can. */
const isSameOrigin = ({ headers }: Request, host: string): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const origin = headers["origin"]
  return origin !== undefined && hostOf(origin)?.host === host.toLowerCase()
}

const refused = (message: string) => answerWith("cross_origin_refused", message)

/** The refusal of a request, or null. */
export const consoleGuard = (publicConsoleUrl: string) => {
  const own = new URL(publicConsoleUrl)
  return (request: Request): HttpServerResponse.HttpServerResponse | null => {
    const { headers, method, url } = request
    const host = headers["host"] ?? ""
    if (!isOwnHost(own, host)) {
      return refused(`The console is at ${publicConsoleUrl}, not at this host. PUBLIC_CONSOLE_URL sets its address`)
    }
    if (!guarded.test(url) || free.test(url)) return null
    if (!isSameOrigin(request, host)) {
      return refused("Sec-Fetch-Site must be same-origin or, without it, Origin must be the console's address")
    }
    const isNamed = headers["x-tentpole-workspace"] !== undefined || headers["x-tentpole-console"] === "1"
    return method === "GET" || method === "HEAD" || isNamed
      ? null
      : refused(`${method} needs the header X-Tentpole-Workspace, or X-Tentpole-Console: 1`)
  }
}
