// The links in messages, on the pages' listener: `/o/` the pixel, `/c/` redirects, `/u/` unsubscribing, `/v/` the message in a
// browser. A GET changes nothing but what it counts; unsubscribing takes a POST, for scanners follow every link (RFC 8058 §1).
import { paths } from "@tentpole/core/rendering/Links"
import { Tracking } from "@tentpole/core/tracking/Tracking"
import { type NotFound, Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { atOnce, type Front, type FrontDoor } from "../edge/FastPath.ts"
import { answeredAtOnce } from "../edge/HttpMetrics.ts"
import { visitorOf } from "./TrackedVisitor.ts"
import * as Answers from "./TrackingAnswers.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/**
 * The four routes. Needs `Tracking`. Pixels, of which many come at once, are answered past the router where there is a front
 * door: not where requests are traced, for the router makes their spans.
 */
export const layer = (front?: FrontDoor) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const verbs = yield* Tracking
      if (front !== undefined) yield* front.openFor(pixels(verbs))
      const read = (request: Request, allow: string, get: (token: string) => Effect.Effect<Response, NotFound>) =>
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

/** A token that is none is the router's to refuse. */
const pixels = ({ opened }: Tracking["Service"]): Front =>
  atOnce(({ headers, url = "" }) => {
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

/** No cookie, no session: the token is all that counts, and the words that say what is wanted. */
const unsubscribe = Effect.fnUntraced(function* (verbs: Tracking["Service"], request: Request) {
  const token = tokenOf(request)
  if (Number(request.headers["content-length"] ?? 0) > body_length_max) return Answers.tooLarge()
  const body = yield* Effect.orElseSucceed(request.text, () => "")
  if (!asksForIt(request.headers["content-type"] ?? "", body)) {
    return Answers.notUnderstood(yield* verbs.subscription(token))
  }
  return Answers.unsubscribedPage(yield* verbs.unsubscribe(token))
})

const body_length_max = 16_384

/** `List-Unsubscribe=One-Click` as RFC 8058 §3.2 has it, url-encoded or as a part of a multipart body, or our own form. */
const asksForIt = (contentType: string, body: string): boolean => {
  if (body.length > body_length_max) return false
  const fields = /^multipart\/form-data\b/i.test(contentType) ? multipartFields(body) : new URLSearchParams(body)
  return fields.get("List-Unsubscribe") === "One-Click" || fields.get(Answers.form_field) === Answers.form_value
}

/** The short text fields of a multipart body. */
const multipartFields = (body: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(
      body.matchAll(
        /^content-disposition: *form-data; *name="?([\w-]{1,40})"?[^\r\n]*\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*\r?\n([^\r\n]{0,40})\r?$/gim,
      ),
      ([, name = "", value = ""]) => [name, value] as const,
    ),
  )

/** The last part of the path, as it was sent. */
const tokenOf = (request: Request): string => /^[^?#]*\/([^/?#]*)/.exec(request.url)?.[1] ?? ""

/** Whatever went wrong, a reader gets a page; that they went away is left to the server. */
const answered = (answer: Effect.Effect<Response, NotFound>): Effect.Effect<Response> =>
  answer.pipe(
    Effect.catchTag("NotFound", () => Effect.succeed(Answers.notFound())),
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      if (Cause.squash(cause) instanceof Unavailable) return Effect.succeed(Answers.unavailable())
      return Effect.as(Effect.logError("a link in a message could not be answered", cause), Answers.broken())
    }),
  )
