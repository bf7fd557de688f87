// The pages' listener: published pages at `/`, `/<alias>` and `/t/<tent id>` of their workspace's host, their forms, what
// search engines ask for, and a page that says so everywhere else. Routes of other rooms on the same listener go before it:
// theirs are longer.
import { originOf, readHost } from "@tentpole/core/tents/pages/PageAddress"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { Cause, DateTime, Effect, Option, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { clientAddress, trustedProxies } from "./ClientAddress.ts"
import { formPages } from "./FormPages.ts"
import * as Answers from "./PageAnswers.ts"
import { type FoundPage, pageCache } from "./PageCache.ts"
import { robotRules } from "./SiteMap.ts"
import type { LimitOptions } from "./VisitorLimit.ts"
import { type Visit, warmPages } from "./WarmPages.ts"
import type { FrontDoor } from "../edge/FastPath.ts"
import { answeredAtOnce } from "../edge/HttpMetrics.ts"

export interface PagesOptions {
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<string>
  /** How often one visitor may send forms. */
  readonly limits?: LimitOptions
  /** Where pages that lie ready are given out, past the router. Not where requests are traced: the router makes their spans. */
  readonly front?: FrontDoor
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
      const addressOf = ({ headers, remoteAddress }: Request) =>
        callerOf(
          Option.getOrElse(remoteAddress, () => ""),
          headers["x-forwarded-for"],
        )
      const forms = yield* formPages(cache, addressOf, options.limits)

      const saw = (headers: VisitorHeaders, address: string, host: string, { site, page }: FoundPage) =>
        Effect.flatMap(DateTime.now, (at) =>
          recorder.saw({
            workspaceId: site.workspaceId,
            tentId: page.tentId,
            at,
            host,
            address,
            userAgent: headers["user-agent"]?.toString() ?? "",
            referrer: headers["referer"]?.toString() ?? null,
          }),
        )

      /** What a host has beside its pages. */
      const beside = Effect.fnUntraced(function* (host: string, path: Beside, asked: Answers.Asked) {
        const site = yield* cache.site(host)
        if (site === null) return Answers.notFound()
        switch (path) {
          case "/robots.txt":
            return Answers.plainText(robotRules(originOf(settings, host)))
          case "/favicon.ico":
            return Answers.icon(site)
          case "/sitemap.xml":
            return Answers.choose(yield* cache.map(host, site), asked)
        }
      })

      const answer = (request: Request): Effect.Effect<Response> => {
        const { headers, method } = request
        const host = readHost(headers["host"] ?? "")
        if (host === null) return Effect.succeed(Answers.notFound())
        const path = pathOf(request.url)
        const asked = { acceptEncoding: headers["accept-encoding"], ifNoneMatch: headers["if-none-match"] }
        if (isBeside(path)) return beside(host, path, asked)
        return Effect.flatMap(cache.find(host, path), (found) => {
          if (found === null) return Effect.succeed(Answers.notFound())
          if (method === "HEAD") return Effect.succeed(Answers.choose(found.page.answers, asked))
          if (method !== "GET") return Effect.succeed(Answers.methodNotAllowed())
          return Effect.as(saw(headers, addressOf(request), host, found), Answers.choose(found.page.answers, asked))
        })
      }

      const visitWarm: Visit = (host, path, { headers, socket }) =>
        Effect.flatMap(cache.find(host, path), (found) => {
          if (found === null) return Effect.succeed(null)
          const [acceptEncoding, ifNoneMatch] = [headers["accept-encoding"]?.toString(), headers["if-none-match"]]
          const chosen = Answers.choose(found.page.answers, { acceptEncoding, ifNoneMatch })
          const address = callerOf(socket.remoteAddress ?? "", headers["x-forwarded-for"]?.toString())
          return saw(headers, address, host, found).pipe(
            Effect.andThen(answeredAtOnce("page", chosen.status)),
            Effect.as(chosen),
          )
        })
      if (options.front !== undefined) yield* options.front.openFor(warmPages(visitWarm))

      yield* router.addGlobalMiddleware((handle) => refusingWorkers(Effect.catch(handle, nowhere)))
      yield* router.add("*", "/f/:tent/:form", (request) =>
        Effect.flatMap(HttpRouter.params, ({ tent = "", form = "" }) => forms(request, tent, form)).pipe(
          Effect.catchCause(failed),
        ),
      )
      yield* router.add("*", "/*", (request) => Effect.catchCause(answer(request), failed))
    }),
  )

/** On the whole origin: a script that somebody uploaded must not become one. */
const refusingWorkers = <E, R>(handle: Effect.Effect<Response, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers["service-worker"] === undefined ? handle : Effect.succeed(Answers.serviceWorkerRefused()),
  )

/** Addresses that no route takes, as those with broken escapes, get a page like all others. */
const nowhere = (error: Types.unhandled) =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
    ? Effect.succeed(Answers.notFound())
    : Effect.fail(error)

const besides = ["/robots.txt", "/favicon.ico", "/sitemap.xml"] as const
type Beside = (typeof besides)[number]
const isBeside = (path: string): path is Beside => besides.some((each) => each === path)

const pathOf = (url: string): string => {
  const at = url.search(/[?#]/)
  return at < 0 ? url : url.slice(0, at)
}

/** Whatever went wrong, a visitor gets a page; that they went away is left to the server. */
const failed = (cause: Cause.Cause<never>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (error instanceof Unavailable) return Effect.succeed(Answers.unavailable())
  return Effect.as(Effect.logError("a page could not be answered", cause), Answers.broken())
}
