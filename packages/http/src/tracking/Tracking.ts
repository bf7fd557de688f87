// Routes of links in messages, on the pages' listener: `/o/` pixel, `/c/` redirect, `/u/` unsubscribe and preferences, `/v/`
// message in the browser. A GET only records; unsubscribing needs a POST, because scanners follow links (RFC 8058 §1).
import { paths } from "@tentpole/core/rendering/Links"
import { preferences_end } from "@tentpole/core/rendering/message/Message"
import { ipPrefixOf } from "@tentpole/core/topics/IpPrefix"
import { Preferences, type Visitor } from "@tentpole/core/tracking/Preferences"
import { type LinkExpired, Tracking, type UnsubscribeMethod } from "@tentpole/core/tracking/Tracking"
import { type NotFound, Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type FastPath, type FastPaths, respondSync } from "../edge/FastPath.ts"
import { answeredAtOnce } from "../edge/HttpMetrics.ts"
import { trustedProxies, visitorAddress } from "../pages/ClientAddress.ts"
import { visitorLimit, type VisitorLimitOptions } from "../pages/VisitorLimit.ts"
import { confirmingFields } from "./ConfirmingFields.ts"
import { preferenceAnswer, preferencesNotUnderstood, preferencesPage, preferencesSaved } from "./PreferenceAnswers.ts"
import { visitorOf } from "./TrackedVisitor.ts"
import * as Answers from "./TrackingAnswers.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export interface TrackingOptions {
  readonly trustedProxies: ReadonlyArray<string>
  /** Serves pixels before the router. Absent when requests are traced, because the router creates the spans. */
  readonly fastPaths?: FastPaths | undefined
  /** The limit of messages in the browser. */
  readonly views?: VisitorLimitOptions
}

/** Scanners of mail open each link of many messages from one address. */
export const viewLimit: VisitorLimitOptions = { burst: 60, per_second: 1, visitors_max: 100_000 }

/**
 * The five routes. Needs `Tracking` and `Preferences`. Only messages in the browser are limited for each address: they are rendered for each
 * request. Mail services load pixels, follow links and unsubscribe for many readers from one address.
 */
export const layer = ({ fastPaths, trustedProxies: proxies, views = viewLimit }: TrackingOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const verbs = yield* Tracking
      const preferences = yield* Preferences
      const limited = yield* visitorLimit("views", views)
      const addressOf = visitorAddress(trustedProxies(proxies))
      const evidenceOf = (request: Request): Visitor => ({
        ipPrefix: ipPrefixOf(addressOf(request)),
        userAgent: visitorOf(request).userAgent,
      })
      if (fastPaths !== undefined) yield* fastPaths.register(pixels(verbs))
      const read = (
        request: Request,
        allow: string,
        get: (token: string) => Effect.Effect<Response, NotFound | LinkExpired>,
      ) =>
        request.method === "GET" || request.method === "HEAD"
          ? answered(get(tokenOf(request)))
          : Effect.succeed(Answers.methodNotAllowed(allow))

      yield* router.add("*", `/${paths.open}/:token`, (request) =>
        read(request, "GET, HEAD", (token) => Effect.as(verbs.opened(token, visitorOf(request)), Answers.pixel())),
      )
      yield* router.add("*", `/${paths.click}/:token`, (request) =>
        read(request, "GET, HEAD", (token) => Effect.map(verbs.clicked(token, visitorOf(request)), Answers.redirect)),
      )
      yield* router.add("*", `/${paths.view}/:token`, (request) =>
        read(request, "GET, HEAD", (token) =>
          Effect.flatMap(limited(addressOf(request)), (wait_s) =>
            wait_s > 0
              ? Effect.succeed(Answers.tooOften(wait_s))
              : Effect.map(verbs.view(token), ({ html }) => Answers.messagePage(html)),
          ),
        ),
      )
      yield* router.add("*", `/${paths.unsubscribe}/:token`, (request) =>
        request.method === "POST"
          ? answered(unsubscribe(verbs, request, evidenceOf(request)))
          : read(request, "GET, HEAD, POST", (token) =>
              Effect.map(verbs.subscription(token), (subscription) => Answers.unsubscribePage(subscription, token)),
            ),
      )
      yield* router.add("*", `/${paths.unsubscribe}/:token${preferences_end}`, (request) => {
        const token = preferenceTokenOf(request)
        return request.method === "POST"
          ? answered(changePreferences(preferences, request, token, evidenceOf(request)))
          : read(request, "GET, HEAD, POST", () => Effect.map(preferences.get(token), preferencesPage))
      })
    }),
  )

/** Leaves invalid tokens to the router. */
const pixels = ({ opened }: Tracking["Service"]): FastPath =>
  respondSync(({ headers, url = "" }) => {
    const token = pixel_path.exec(url)?.[1]
    if (token === undefined) return null
    return opened(token, visitorOf({ method: "GET", headers })).pipe(
      Effect.andThen(answeredAtOnce("mail open", ready.status)),
      Effect.as(ready),
      Effect.catch(() => Effect.succeed(null)),
    )
  })

const ready = Answers.pixel()
const pixel_path = new RegExp(`^/${paths.open}/([\\w-]+)$`)

/** The token and the confirming field are sufficient: there is no cookie and no session. Without a valid token no body is read. */
const unsubscribe = Effect.fnUntraced(function* (verbs: Tracking["Service"], request: Request, visitor: Visitor) {
  const token = tokenOf(request)
  const subscription = yield* verbs.subscription(token)
  if (isTooLong(request)) return Answers.tooLarge(subscription)
  const body = yield* Effect.orElseSucceed(request.text, () => "")
  const method = confirmedMethod(request.headers["content-type"] ?? "", body)
  return method === null || (method === "topic" && subscription.topic === null)
    ? Answers.notUnderstood(subscription, token)
    : Answers.unsubscribedPage(yield* verbs.unsubscribe(token, method, visitor), token)
})

/** Like `unsubscribe`. One click of a mail program is no answer here. */
const changePreferences = Effect.fnUntraced(function* (
  preferences: Preferences["Service"],
  request: Request,
  token: string,
  visitor: Visitor,
) {
  const page = yield* preferences.get(token)
  if (isTooLong(request)) return Answers.tooLarge(page)
  const body = yield* Effect.orElseSucceed(request.text, () => "")
  const answer = body.length > body_length_max ? null : preferenceAnswer(new URLSearchParams(body))
  if (answer === null) return preferencesNotUnderstood(page)
  return answer === "unsubscribe_all"
    ? preferencesSaved(yield* preferences.unsubscribe(token, visitor))
    : preferencesSaved(yield* preferences.update(token, answer, visitor))
})

const isTooLong = ({ headers }: Request): boolean => Number(headers["content-length"] ?? 0) > body_length_max

const body_length_max = 16_384

/** `List-Unsubscribe=One-Click` (RFC 8058 §3.2), or the button of our own form, which without a scope means all. Null: neither. */
const confirmedMethod = (contentType: string, body: string): UnsubscribeMethod | null => {
  if (body.length > body_length_max) return null
  const fields = confirmingFields(contentType, body)
  if (fields.get("List-Unsubscribe") === "One-Click") return "one_click"
  if (fields.get(Answers.form_field) !== Answers.form_value) return null
  const scope = fields.get(Answers.scope_field) ?? "all"
  return scope === "all" || scope === "topic" ? scope : null
}

/** The last segment of the path. */
const tokenOf = (request: Request): string => /^[^?#]*\/([^/?#]*)/.exec(request.url)?.[1] ?? ""

/** The segment in front of the last one. */
const preferenceTokenOf = (request: Request): string => /^[^?#]*\/([^/?#]*)\/[^/?#]*/.exec(request.url)?.[1] ?? ""

/** An error page for failures. If the reader disconnected, the server handles the interruption. */
const answered = (answer: Effect.Effect<Response, NotFound | LinkExpired>): Effect.Effect<Response> =>
  answer.pipe(
    Effect.catchTags({
      NotFound: () => Effect.succeed(Answers.notFound()),
      LinkExpired: (expired) => Effect.succeed(Answers.expired(expired)),
    }),
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      if (Cause.squash(cause) instanceof Unavailable) return Effect.succeed(Answers.unavailable())
      return Effect.as(Effect.logError("tracking request failed", cause), Answers.broken())
    }),
  )
