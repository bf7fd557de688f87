// Webhooks of mail providers: `POST /hooks/<provider>/<secret>` on the API's listener. The URL and the provider's signature
// grant access, no API key is needed. The body is read as bytes, because signatures cover bytes.
import { type HookRefusal, Hooks } from "@tentpole/core/bounces/providers/Hooks"
import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerWith, refusalResponse } from "../edge/Edge.ts"

/** Maximum size of a body. Providers send events in batches. */
const body_bytes_max = 10_000_000

const refuse = (refusal: HookRefusal) =>
  Effect.succeed(refusalResponse(refusal, refusal.code === "unavailable" ? { "retry-after": "5" } : {}))

/** Closes the connection instead of reading the rest of the body. */
const tooLarge = () =>
  HttpServerResponse.setHeader(
    answerWith("payload_too_large", `The body exceeds ${body_bytes_max} bytes`),
    "connection",
    "close",
  )

class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The call with its body. The body is not read if `content-length` exceeds the limit. */
const callOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (Number(request.headers["content-length"] ?? 0) > body_bytes_max) return yield* new BodyTooLarge()
  const body = new Uint8Array(yield* request.arrayBuffer)
  if (body.length > body_bytes_max) return yield* new BodyTooLarge()
  return { headers: request.headers, body }
})

const methodNotAllowed = () =>
  HttpServerResponse.setHeader(answerWith("method_not_allowed", "This path supports only POST"), "allow", "POST")

export const hooks = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { receive } = yield* Hooks
    yield* router.add("*", "/hooks/:provider/:secret", (request) =>
      Effect.gen(function* () {
        if (request.method !== "POST") return methodNotAllowed()
        const { provider = "", secret = "" } = yield* HttpRouter.params
        yield* receive(provider, secret, callOf(request))
        return HttpServerResponse.empty({ status: 200 })
      }).pipe(
        Effect.catchTags({
          BodyTooLarge: () => Effect.succeed(tooLarge()),
          NotFound: refuse,
          HookRefused: refuse,
          HookUnreadable: refuse,
          Invalid: refuse,
          Unavailable: refuse,
        }),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(body_bytes_max)),
      ),
    )
  }),
)
