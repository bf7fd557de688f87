// The route of confirmation links, `/s/<token>`, on the pages' listener. A GET changes nothing, because scanners of mail follow links:
// the button of the page confirms.
import { type NotFound, Unavailable } from "@tentpole/core/kernel/Refusal"
import { confirmation_path } from "@tentpole/core/subscriptions/ConfirmationLink"
import { Confirmations } from "@tentpole/core/subscriptions/Confirmations"
import { consent_user_agent_length_max } from "@tentpole/core/topics/GivenConsent"
import { ipPrefixOf } from "@tentpole/core/topics/IpPrefix"
import { Cause, Effect } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { trustedProxies, visitorAddress } from "../pages/ClientAddress.ts"
import * as Links from "../tracking/TrackingAnswers.ts"
import * as Answers from "./ConfirmationAnswers.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export interface ConfirmationOptions {
  readonly trustedProxies: ReadonlyArray<string>
}

/** Needs `Confirmations`. */
export const layer = ({ trustedProxies: proxies }: ConfirmationOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const verbs = yield* Confirmations
      const addressOf = visitorAddress(trustedProxies(proxies))

      /** Without a valid token no body is read. */
      const post = Effect.fnUntraced(function* (request: Request, token: string) {
        const found = yield* verbs.get(token)
        if (Number(request.headers["content-length"] ?? 0) > body_length_max) return Answers.tooLarge(found)
        const body = yield* Effect.orElseSucceed(request.text, () => "")
        if (body.length > body_length_max) return Answers.tooLarge(found)
        const said = new URLSearchParams(body).get(Answers.form_field)
        if (said === Answers.subscribe_value) {
          const userAgent = request.headers["user-agent"]?.slice(0, consent_user_agent_length_max) ?? null
          const by = { ipPrefix: ipPrefixOf(addressOf(request)), userAgent }
          return Answers.shown(yield* verbs.confirm(token, by))
        }
        if (said !== Answers.renew_value) return Answers.notUnderstood(found)
        const before = yield* verbs.renew(token)
        return before.status === "expired" ? Answers.renewed(before) : Answers.shown(before)
      })

      yield* router.add("*", `/${confirmation_path}/:token`, (request) => {
        const token = /^[^?#]*\/([^/?#]*)/.exec(request.url)?.[1] ?? ""
        switch (request.method) {
          case "GET":
          case "HEAD":
            return answered(Effect.map(verbs.get(token), Answers.shown))
          case "POST":
            return answered(post(request, token))
          default:
            return Effect.succeed(Links.methodNotAllowed("GET, HEAD, POST"))
        }
      })
    }),
  )

const body_length_max = 16_384

/** An error page for failures. If the reader disconnected, the server handles the interruption. */
const answered = (answer: Effect.Effect<Response, NotFound>): Effect.Effect<Response> =>
  answer.pipe(
    Effect.catchTag("NotFound", () => Effect.succeed(Links.notFound())),
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      if (Cause.squash(cause) instanceof Unavailable) return Effect.succeed(Links.unavailable())
      return Effect.as(Effect.logError("a confirmation link failed", cause), Links.broken())
    }),
  )
