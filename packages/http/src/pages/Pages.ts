// The pages' listener: published pages at `/`, `/<alias>` and `/t/<tent id>` of their workspace's host, and a page that says
// so everywhere else. Routes of other rooms on the same listener go before it: theirs are longer.
import { readHost, readPath } from "@tentpole/core/tents/PageAddress"
import type { PageSite } from "@tentpole/core/tents/PublishedPages"
import { Settings } from "@tentpole/core/Settings"
import { Unavailable } from "@tentpole/core/Refusal"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { Cause, DateTime, Effect, Option, type Types } from "effect"
import { HttpRouter, HttpServerError, type HttpServerRequest } from "effect/http"
import type { BlockList } from "node:net"
import { clientAddress, trustedProxies } from "./ClientAddress.ts"
import * as Answers from "./PageAnswers.ts"
import { type CachedPage, type PageCache, pageCache } from "./PageCache.ts"

export interface PagesOptions {
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The routes of published pages. Needs `PublishedPages`, `ViewRecorder` and `Settings`. */
export const layer = (options: PagesOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { pagesHost } = yield* Settings
      const cache = yield* pageCache(pagesHost)
      const recorder = yield* ViewRecorder
      const trusted = trustedProxies(options.trustedProxies)
      yield* router.addGlobalMiddleware(Effect.catch(nowhere))
      yield* router.add("*", "/*", (request) =>
        answer(cache, recorder, trusted, request).pipe(Effect.catchCause(failed)),
      )
    }),
  )

/** Addresses that no route takes, as those with broken escapes, get a page like all others. */
const nowhere = (error: Types.unhandled) =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
    ? Effect.succeed(Answers.notFound())
    : Effect.fail(error)

type Request = HttpServerRequest.HttpServerRequest

const answer = Effect.fnUntraced(function* (
  cache: PageCache,
  recorder: ViewRecorder["Service"],
  trusted: BlockList,
  request: Request,
) {
  const { headers, method } = request
  if (headers["service-worker"] !== undefined) return Answers.serviceWorkerRefused()
  const host = readHost(headers["host"] ?? "")
  const site = host === null ? null : yield* cache.site(host)
  if (host === null || site === null) return Answers.notFound()
  const path = pathOf(request.url)
  if (path === "/robots.txt") return Answers.robots()
  const address = readPath(path)
  const page = address === null ? null : yield* cache.page(site.workspaceId, address)
  if (page === null) return Answers.notFound()
  if (method !== "GET" && method !== "HEAD") return Answers.methodNotAllowed()
  if (method === "GET") yield* recorder.saw(visitOf(request, trusted, host, site, page, yield* DateTime.now))
  return Answers.pageAnswer(site, page, {
    acceptEncoding: headers["accept-encoding"],
    ifNoneMatch: headers["if-none-match"],
  })
})

const pathOf = (url: string): string => {
  const at = url.search(/[?#]/)
  return at < 0 ? url : url.slice(0, at)
}

const visitOf = (
  request: Request,
  trusted: BlockList,
  host: string,
  { workspaceId }: PageSite,
  { tentId }: CachedPage,
  at: DateTime.Utc,
) => ({
  workspaceId,
  tentId,
  at,
  host,
  address: clientAddress(
    trusted,
    Option.getOrElse(request.remoteAddress, () => ""),
    request.headers["x-forwarded-for"],
  ),
  userAgent: request.headers["user-agent"] ?? "",
  referrer: request.headers["referer"] ?? null,
})

/** Whatever went wrong, a visitor gets a page; that they went away is left to the server. */
const failed = (cause: Cause.Cause<never>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  if (Cause.squash(cause) instanceof Unavailable) return Effect.succeed(Answers.unavailable())
  return Effect.as(Effect.logError("a page could not be served", cause), Answers.broken())
}
