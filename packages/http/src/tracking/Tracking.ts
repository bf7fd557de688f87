// Routes of links in messages, on the pages' listener: `/o/` pixel, `/c/` redirect, `/u/` unsubscribe, `/v/` message in the
// browser. A GET only records; unsubscribing needs a POST, because scanners follow links (RFC 8058 §1).
import { paths } from "@tentpole/core/rendering/Links"
import { type LinkExpired, Tracking } from "@tentpole/core/tracking/Tracking"
import { type NotFound, Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type FastPath, type FastPaths, respondSync } from "../edge/FastPath.ts"
import { answeredAtOnce } from "../edge/HttpMetrics.ts"
import { confirmingFields } from "./ConfirmingFields.ts"
import { visitorOf } from "./TrackedVisitor.ts"
import * as Answers from "./TrackingAnswers.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/**
 * The four routes. Needs `Tracking`. `fastPaths` serves pixels before the router; it is absent when requests are traced,
 * because the router creates the spans.
 */
export const layer = (fastPaths?: FastPaths) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const verbs = yield* Tracking
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
        read(request, "GET, HEAD", (token) => Effect.map(verbs.view(token), ({ html }) => Answers.messagePage(html))),
      )
      yield* router.add("*", `/${paths.unsubscribe}/:token`, (request) =>
        request.method === "POST"
          ? answered(unsubscribe(verbs, request))
          : read(request, "GET, HEAD, POST", (token) => Effect.map(verbs.subscription(token), Answers.unsubscribePage)),
      )
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
const unsubscribe = Effect.fnUntraced(function* (verbs: Tracking["Service"], request: Request) {
  const token = tokenOf(request)
  const subscription = yield* verbs.subscription(token)
  if (Number(request.headers["content-length"] ?? 0) > body_length_max) return Answers.tooLarge(subscription)
  const body = yield* Effect.orElseSucceed(request.text, () => "")
  return isConfirmed(request.headers["content-type"] ?? "", body)
    ? Answers.unsubscribedPage(yield* verbs.unsubscribe(token))
    : Answers.notUnderstood(subscription)
})

const body_length_max = 16_384

/** Whether the body has `List-Unsubscribe=One-Click` (RFC 8058 §3.2) or comes from our own form. */
const isConfirmed = (contentType: string, body: string): boolean => {
  if (body.length > body_length_max) return false
  const fields = confirmingFields(contentType, body)
  return fields.get("List-Unsubscribe") === "One-Click" || fields.get(Answers.form_field) === Answers.form_value
}

/** The last segment of the path. */
const tokenOf = (request: Request): string => /^[^?#]*\/([^/?#]*)/.exec(request.url)?.[1] ?? ""

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
