// A call of one endpoint: encodes the request, retries it, and decodes the answer with the endpoint's schemas.
import { ConnectionFailed, type Failure, toFailure, UnexpectedAnswer } from "@tentpole/client/Failures"
import type { Answer, CallOptions as CommonCallOptions } from "@tentpole/client/Methods"
import { bodyOf, headersOf, type RequestParts, urlOf } from "@tentpole/client/Request"
import { type RetryLimits, waitBeforeRetry } from "@tentpole/client/Retry"
import { Clock, Effect, Predicate, Random, type Redacted } from "effect"
import { type Headers, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"

export interface Target {
  /** URL of the service, with the path before `/v1` if there is one. */
  readonly url: string
  readonly key: Redacted.Redacted
  readonly retries: RetryLimits
  /** Timeout of one attempt, until the end of its answer; for a stream of bytes, until its start. */
  readonly timeout_ms: number
}

/** An interruption takes the place of the signal. */
export type CallOptions = Omit<CommonCallOptions, "signal">

export type Decode = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, unknown>

const requestOf = Effect.fnUntraced(function* (
  { key, url }: Target,
  { method, path }: HttpApiEndpoint.Top,
  parts: RequestParts,
  options: CallOptions,
) {
  const body = yield* Effect.promise(() => bodyOf(parts.payload))
  const request = HttpClientRequest.make(method)(urlOf(url, path, parts)).pipe(
    HttpClientRequest.setHeaders(headersOf(method === "POST", options)),
    HttpClientRequest.bearerToken(key),
  )
  if (body === null) return request
  return typeof body.content === "string"
    ? HttpClientRequest.bodyText(request, body.content, body.type)
    : HttpClientRequest.bodyUint8Array(request, body.content, body.type)
})

const causeOf = (error: HttpClientError.HttpClientError): unknown =>
  "cause" in error.reason ? error.reason.cause : error

/** The failure does not contain the request, because its headers contain the key. */
const failed = (url: string) => (error: HttpClientError.HttpClientError) => {
  const cause = causeOf(error)
  const reason = cause instanceof Error ? cause.message : error.reason._tag
  return new ConnectionFailed({
    message: `No answer from ${url}: ${reason}`,
    ...(cause instanceof Error ? { cause } : {}),
  })
}

const requestIdOf = (headers: Headers.Headers): string | null => headers["x-request-id"] ?? null

/** The body of a value with declared headers. */
const unwrapped = ({ success }: HttpApiEndpoint.Top, value: unknown): unknown =>
  [...success].some((schema) => HttpApiSchema.isWithHeaders(schema)) && Predicate.hasProperty(value, "body")
    ? value.body
    : value

const attempt = Effect.fnUntraced(function* (
  http: HttpClient.HttpClient,
  target: Target,
  endpoint: HttpApiEndpoint.Top,
  decode: Decode,
  request: HttpClientRequest.HttpClientRequest,
) {
  const response = yield* Effect.mapError(http.execute(request), failed(target.url))
  const { headers, status } = response
  if (status >= 400) {
    const text = yield* Effect.mapError(response.text, failed(target.url))
    return yield* Effect.fail(toFailure(status, text, headers, yield* Clock.currentTimeMillis))
  }
  const value = yield* Effect.mapError(decode(response), (error): Failure<string> =>
    HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError"
      ? failed(target.url)(error)
      : new UnexpectedAnswer({
          message: `The answer to ${endpoint.method} ${endpoint.path} does not match its schema: ${String(error)}`,
          status,
          requestId: requestIdOf(headers),
          retryAfter_s: null,
          ...(error instanceof Error && !HttpClientError.isHttpClientError(error) ? { cause: error } : {}),
        }),
  )
  return { value: unwrapped(endpoint, value), status, headers: { ...headers }, requestId: requestIdOf(headers) }
})

const late = ({ url, timeout_ms }: Target) =>
  new ConnectionFailed({ message: `No answer from ${url} within ${timeout_ms / 1000} seconds` })

/** The call with its attempts. An interruption ends the current attempt. */
export const callOf =
  (http: HttpClient.HttpClient, target: Target, endpoint: HttpApiEndpoint.Top, decode: Decode) =>
  (parts: RequestParts, options: CallOptions): Effect.Effect<Answer<unknown>, Failure<string>> =>
    Effect.gen(function* () {
      const request = yield* requestOf(target, endpoint, parts, options)
      const keyed = request.headers["idempotency-key"] !== undefined
      const once = attempt(http, target, endpoint, decode, request).pipe(
        Effect.timeoutOrElse({ duration: target.timeout_ms, orElse: () => Effect.fail(late(target)) }),
      )
      for (let number = 1; ; number++) {
        const tried = yield* Effect.result(once)
        if (tried._tag === "Success") return tried.success
        const attempted = { method: endpoint.method, keyed, attempt: number, failure: tried.failure }
        const wait_ms = waitBeforeRetry(attempted, target.retries, yield* Random.next)
        if (wait_ms === null) return yield* Effect.fail(tried.failure)
        yield* Effect.sleep(wait_ms)
      }
    })
