// Routes of the pages' listener: published pages at `/`, `/<alias>` and `/t/<tent id>`, their forms, robots.txt, sitemap and
// favicon, and a 404 page. Longer routes, such as tracking links, take precedence.
import { originOf, readHost } from "@tentpole/core/tents/pages/PageAddress"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { Cause, DateTime, Effect, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { clientAddress, trustedProxies, visitorAddress } from "./ClientAddress.ts"
import { formPages } from "./FormPages.ts"
import type { VisitorLimitOptions } from "./VisitorLimit.ts"
import * as Answers from "./PageAnswers.ts"
import { type FoundPage, pageCache } from "./PageCache.ts"
import { robotRules } from "./SiteMap.ts"
import { type Visit, warmPages } from "./WarmPages.ts"
import type { FastPaths } from "../edge/FastPath.ts"
import { answeredAtOnce } from "../edge/HttpMetrics.ts"

export interface PagesOptions {
  /** Addresses and networks of proxies whose `X-Forwarded-For` is used. */
  readonly trustedProxies: ReadonlyArray<string>
  /** How often one visitor may send forms. */
  readonly limits?: VisitorLimitOptions
  /** Serves cached pages before the router. Absent when requests are traced, because the router creates the spans. */
  readonly fastPaths?: FastPaths
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type VisitorHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The routes of published pages. Needs `PublishedPages`, `Forms`, `ViewRecorder` and `Settings`. */
export const layer = (options: PagesOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const settings = yield* Settings
      const cache = yield* pageCache()
      const recorder = yield* ViewRecorder
      const trusted = trustedProxies(options.trustedProxies)
      const callerOf = (remote: string, forwardedFor: string | undefined) =>
        clientAddress(trusted, remote, forwardedFor)
      const addressOf = visitorAddress(trusted)
      const forms = yield* formPages(cache, addressOf, options.limits)

      const recordView = (headers: VisitorHeaders, address: string, host: string, { site, page }: FoundPage) =>
        Effect.flatMap(DateTime.now, (at) =>
          recorder.record({
            workspaceId: site.workspaceId,
            tentId: page.tentId,
            at,
            host,
            address,
            userAgent: headers["user-agent"]?.toString() ?? "",
            referrer: headers["referer"]?.toString() ?? null,
          }),
        )

      /** Other files of a host. */
      const beside = Effect.fnUntraced(function* (host: string, path: Beside, wanted: Answers.Wanted) {
        const site = yield* cache.site(host)
        if (site === null) return Answers.notFound(null)
        switch (path) {
          case "/robots.txt":
            return Answers.plainText(robotRules(originOf(settings, host)))
          case "/favicon.ico":
            return Answers.icon(site)
          case "/sitemap.xml":
            return Answers.choose(yield* cache.map(host, site), wanted)
        }
      })

      const answer = (request: Request): Effect.Effect<Response> => {
        const { headers, method } = request
        const host = readHost(headers["host"] ?? "")
        if (host === null) return Effect.succeed(Answers.notFound(null))
        const path = pathOf(request.url)
        const wanted = { acceptEncoding: headers["accept-encoding"], ifNoneMatch: headers["if-none-match"] }
        if (isBeside(path)) return beside(host, path, wanted)
        return Effect.flatMap(cache.find(host, path), (found) => {
          if (found === null) return Effect.map(cache.site(host), Answers.notFound)
          if (method === "HEAD") return Effect.succeed(Answers.choose(found.page.answers, wanted))
          if (method !== "GET") return Effect.succeed(Answers.methodNotAllowed(found.site))
          return Effect.as(
            recordView(headers, addressOf(request), host, found),
            Answers.choose(found.page.answers, wanted),
          )
        })
      }

      const visitWarm: Visit = (host, path, { headers, socket }) =>
        Effect.flatMap(cache.find(host, path), (found) => {
          if (found === null) return Effect.succeed(null)
          const [acceptEncoding, ifNoneMatch] = [headers["accept-encoding"]?.toString(), headers["if-none-match"]]
          const chosen = Answers.choose(found.page.answers, { acceptEncoding, ifNoneMatch })
          const address = callerOf(socket.remoteAddress ?? "", headers["x-forwarded-for"]?.toString())
          return recordView(headers, address, host, found).pipe(
            Effect.andThen(answeredAtOnce("page", chosen.status)),
            Effect.as(chosen),
          )
        })
      if (options.fastPaths !== undefined) yield* options.fastPaths.register(warmPages(visitWarm))

      yield* router.addGlobalMiddleware((handle) => refusingWorkers(Effect.catch(handle, nowhere)))
      yield* router.add("*", "/f/:tent/:form", (request) =>
        Effect.flatMap(HttpRouter.params, ({ tent = "", form = "" }) => forms(request, tent, form)).pipe(
          Effect.catchCause(failed),
        ),
      )
      yield* router.add("*", "/*", (request) => Effect.catchCause(answer(request), failed))
    }),
  )

/** Refuses service workers on the whole origin, so that an uploaded script can't become one. */
const refusingWorkers = <E, R>(handle: Effect.Effect<Response, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers["service-worker"] === undefined ? handle : Effect.succeed(Answers.serviceWorkerRefused()),
  )

/** The 404 page for paths that no route matches, such as those with invalid escapes. */
const nowhere = (error: Types.unhandled) =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
    ? Effect.succeed(Answers.notFound(null))
    : Effect.fail(error)

const besides = ["/robots.txt", "/favicon.ico", "/sitemap.xml"] as const
type Beside = (typeof besides)[number]
const isBeside = (path: string): path is Beside => besides.some((each) => each === path)

const pathOf = (url: string): string => {
  const at = url.search(/[?#]/)
  return at < 0 ? url : url.slice(0, at)
}

/** An error page for failures. If the visitor disconnected, the server handles the interruption. */
const failed = (cause: Cause.Cause<never>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (error instanceof Unavailable) return Effect.succeed(Answers.unavailable())
  return Effect.as(Effect.logError("page request failed", cause), Answers.broken())
}
