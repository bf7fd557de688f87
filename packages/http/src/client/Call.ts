// A call of one endpoint: encodes the request, retries it, and decodes the answer with the endpoint's schemas.
import { Clock, Effect, Predicate, Random, type Redacted } from "effect"
import { type Headers, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { ConnectionFailed, type Failure, toFailure, UnexpectedAnswer } from "./Failures.ts"
import { type RetryLimits, waitBeforeRetry } from "./Retry.ts"

export interface Target {
  /** URL of the service, with the path before `/v1` if there is one. */
  readonly url: string
  readonly key: Redacted.Redacted
  readonly retries: RetryLimits
  /** Timeout of one attempt, until the end of its answer; for a stream of bytes, until its start. */
  readonly timeout_ms: number
}

export interface CallOptions {
  /** Idempotency key of a POST. Default: a new key for each call. */
  readonly idempotencyKey?: string
  /** Further headers. `x-request-id` sets the request id in the service's log. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer with its status and headers. */
export interface Answer<Value> {
  readonly value: Value
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string | null
}

/** The parts of a request in wire format. */
export interface RequestParts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

export type Decode = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, unknown>

/** The path with its parameters. Throws on values that would change the path. */
const pathOf = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/:([A-Za-z_]+)/g, (_, name: string) => {
    const value = params[name]
    if (typeof value !== "string" || value === "" || value === "." || value === "..") {
      throw new TypeError(`params.${name} of ${path} must be text, and neither empty nor "." or ".."`)
    }
    return encodeURIComponent(value)
  })

const toText = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : typeof value === "string" ? value : JSON.stringify(value)

const queryOf = (query: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [string, string]> =>
  Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, toText(value)] as const]))

/** Serializes the body once, because a form would have another boundary at each attempt. */
const withBody = (request: HttpClientRequest.HttpClientRequest, payload: unknown) => {
  if (payload === undefined) return Effect.succeed(request)
  if (!(payload instanceof FormData)) {
    return Effect.sync(() => HttpClientRequest.bodyText(request, JSON.stringify(payload), "application/json"))
  }
  return Effect.promise(async () => {
    const form = new Response(payload)
    const type = form.headers.get("content-type") ?? "multipart/form-data"
    return HttpClientRequest.bodyUint8Array(request, new Uint8Array(await form.arrayBuffer()), type)
  })
}

const requestOf = Effect.fnUntraced(function* (
  { url, key }: Target,
  { method, path }: HttpApiEndpoint.Top,
  { params = {}, query = {}, payload }: RequestParts,
  { headers = {}, idempotencyKey }: CallOptions,
) {
  const bare = HttpClientRequest.make(method)(url.replace(/\/+$/, "") + pathOf(path, params))
  const keyed = method === "POST" ? { "idempotency-key": idempotencyKey ?? globalThis.crypto.randomUUID() } : {}
  const request = bare.pipe(
    HttpClientRequest.setUrlParams(queryOf(query)),
    HttpClientRequest.setHeaders({ accept: "*/*", ...keyed, ...headers }),
    HttpClientRequest.bearerToken(key),
  )
  return yield* withBody(request, payload)
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
