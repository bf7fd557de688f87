// Implementation of the idempotency middleware: a POST with an `Idempotency-Key` is executed once.
import {
  type Answer,
  AnswerNotStored,
  type BodyHash,
  Idempotency,
  isIdempotencyKey,
  type KeyedRequest,
  KeyInProgress,
  KeyReused,
  type Performed,
} from "@tentpole/core/operations/idempotency/Idempotency"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { Context, Effect, Layer, Option, Predicate, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { createHash } from "node:crypto"
import { OwnKeys } from "../Endpoint.ts"
import { CurrentWorkspace } from "./Auth.ts"
import { refusalResponse } from "./Edge.ts"
import { body, isCode, table } from "./Errors.ts"
import { Idempotent } from "./Idempotency.ts"
import { mediaType } from "./Validation.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Refusals before processing. They do not use up the key. */
const before: ReadonlySet<ErrorCode> = new Set([
  "unauthorized",
  "role_too_low",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "invalid_json",
])
const beforeByStatus: ReadonlySet<number> = new Set([401, 413, 415])

const storedHeaders = ["content-type", "content-disposition", "location", "retry-after"]

const bytesOf = ({ body: it }: Response): Uint8Array | null =>
  it._tag === "Uint8Array" ? it.body : it._tag === "Empty" ? new Uint8Array() : null

const toAnswer = (response: Response): Answer | null => {
  if (response.status >= 500 || beforeByStatus.has(response.status)) return null
  const contentType = "contentType" in response.body ? response.body.contentType : undefined
  const all = { ...(contentType === undefined ? {} : { "content-type": contentType }), ...response.headers }
  return {
    status: response.status,
    headers: Object.fromEntries(Object.entries(all).filter(([name]) => storedHeaders.includes(name))),
    body: bytesOf(response),
  }
}

const toResponse = ({ body: bytes, headers, status }: Answer & { readonly body: Uint8Array }): Response => {
  const { "content-type": contentType, ...others } = headers
  const response =
    bytes.length === 0
      ? HttpServerResponse.empty({ status })
      : HttpServerResponse.uint8Array(bytes, { status, contentType: contentType ?? "application/octet-stream" })
  return HttpServerResponse.setHeaders(response, { ...others, "idempotency-replayed": "true" })
}

const codeOf = (error: unknown): ErrorCode | null =>
  Predicate.hasProperty(error, "error_code") && isCode(error.error_code) ? error.error_code : null

/** Runs the work and returns its answer. Error bodies are answers, too, and are replayed. */
const performed = <E, R>(work: Effect.Effect<Response, E, R>): Effect.Effect<Performed<Response>, E, R> =>
  work.pipe(
    Effect.map((value) => ({ value, answer: toAnswer(value) })),
    Effect.catch((error) => {
      const code = codeOf(error)
      if (code === null) return Effect.fail(error)
      const value = HttpServerResponse.jsonUnsafe(error, { status: table[code].status })
      return Effect.succeed({ value, answer: before.has(code) ? null : toAnswer(value) })
    }),
  )

const malformed = HttpServerResponse.jsonUnsafe(
  body("validation_failed", "Idempotency-Key must be 1 to 255 printable ASCII characters", {
    details: { issues: [{ path: "Idempotency-Key", message: "must be 1 to 255 printable ASCII characters" }] },
  }),
  { status: 400 },
)

/**
 * Hashes a streamed body, such as a file, while it is read: a multipart body ends at its last boundary. A body that the
 * handler does not read is read to its end.
 */
const followed = (request: Request, search: string) => {
  const hash = createHash("sha256").update(search).update("\n")
  let begun = false
  const stream = request.stream.pipe(
    Stream.map((chunk) => {
      begun = true
      hash.update(chunk)
      return chunk
    }),
  )
  const multipartStream = stream.pipe(
    Stream.mapError((cause) => Multipart.MultipartError.fromReason("InternalError", cause)),
    Stream.pipeThroughChannel(Multipart.makeChannel(request.headers)),
  )
  const parts = multipartStream.pipe(
    Stream.flatMap((part) => (part._tag === "File" ? part.content : Stream.empty)),
    Stream.runDrain,
  )
  const reading = Effect.ignore(
    mediaType(request.headers["content-type"]).startsWith("multipart/") ? parts : Stream.runDrain(stream),
  )
  const digest = Effect.sync(() => hash.copy().digest())
  // A proxy, because the getters of the request cache what they have read in the object that they are called on.
  const read = new Proxy(request, {
    get: (target, name): unknown => {
      if (name === "stream") return stream
      if (name === "multipartStream") return multipartStream
      return name === "multipart" ? Multipart.toPersisted(multipartStream) : Reflect.get(target, name)
    },
  })
  return {
    request: read,
    body: {
      _tag: "Coming",
      read: Effect.andThen(
        Effect.suspend(() => (begun ? Effect.void : reading)),
        digest,
      ),
      reading: Effect.andThen(reading, digest),
    } satisfies BodyHash,
  }
}

/** JSON is buffered, other bodies are streamed. */
const isRead = (request: Request): boolean => {
  const type = mediaType(request.headers["content-type"])
  return type === "application/json" || type === ""
}

const keyedRequest = Effect.fnUntraced(function* (request: Request, key: string) {
  const at = request.url.indexOf("?")
  const path = at < 0 ? request.url : request.url.slice(0, at)
  const search = at < 0 ? "" : request.url.slice(at)
  const named = { method: request.method, path, key }
  if (!isRead(request)) {
    const coming = followed(request, search)
    return { once: { ...named, body: coming.body } satisfies KeyedRequest, request: coming.request }
  }
  const bytes = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
  const hash = createHash("sha256").update(search).update("\n").update(bytes).digest()
  return { once: { ...named, body: { _tag: "Known", hash } } satisfies KeyedRequest, request }
})

export const layer = Layer.effect(
  Idempotent,
  Effect.gen(function* () {
    const idempotency = yield* Idempotency
    return Idempotent.of((handle, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const key = request.headers["idempotency-key"]
        if (key === undefined || request.method !== "POST") return yield* handle
        if (!isIdempotencyKey(key)) return malformed
        if (Option.isSome(Context.getOption(endpoint.annotations, OwnKeys))) return yield* handle
        const { workspace } = yield* CurrentWorkspace
        const keyed = yield* keyedRequest(request, key)
        const work = performed(Effect.provideService(handle, HttpServerRequest.HttpServerRequest, keyed.request))
        return yield* idempotency.once(workspace.id, keyed.once, work).pipe(
          Effect.map((once) => (once._tag === "Performed" ? once.value : toResponse(once.answer))),
          Effect.catch((error) =>
            error instanceof KeyReused || error instanceof KeyInProgress || error instanceof AnswerNotStored
              ? Effect.succeed(refusalResponse(error))
              : Effect.fail(error),
          ),
        )
      }),
    )
  }),
)
