// Where providers call: `POST /hooks/<provider>/<secret>` on the API's listener. The address and the provider's signature are
// the permission, so no API key is asked for; the body is taken as bytes, for signatures are over bytes.
import { type HookRefusal, Hooks } from "@tentpole/core/bounces/providers/Hooks"
import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerWith } from "../edge/Edge.ts"
import { table, toBody } from "../edge/Errors.ts"

/** A provider collects events, and sends them together. */
const body_bytes_max = 10_000_000

/** Whoever comes too early is asked to come again. */
const refuse = (refusal: HookRefusal) =>
  HttpServerResponse.jsonUnsafe(toBody(refusal), {
    status: table[refusal.code].status,
    headers: refusal.code === "unavailable" ? { "retry-after": "5" } : {},
  })

/** The rest of the body is not waited for. */
const tooLarge = () =>
  HttpServerResponse.setHeader(
    answerWith("payload_too_large", `The body is larger than ${body_bytes_max} bytes`),
    "connection",
    "close",
  )

class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The call with its body, which is not read when it says that it is too long. */
const callOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (Number(request.headers["content-length"] ?? 0) > body_bytes_max) return yield* new BodyTooLarge()
  const body = new Uint8Array(yield* request.arrayBuffer)
  if (body.length > body_bytes_max) return yield* new BodyTooLarge()
  return { headers: request.headers, body }
})

const methodNotAllowed = () =>
  HttpServerResponse.setHeader(
    answerWith("method_not_allowed", "Providers call this address with POST"),
    "allow",
    "POST",
  )

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
          NotFound: (refusal) => Effect.succeed(refuse(refusal)),
          HookRefused: (refusal) => Effect.succeed(refuse(refusal)),
          HookUnreadable: (refusal) => Effect.succeed(refuse(refusal)),
          Invalid: (refusal) => Effect.succeed(refuse(refusal)),
          Unavailable: (refusal) => Effect.succeed(refuse(refusal)),
        }),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(body_bytes_max)),
      ),
    )
  }),
)
