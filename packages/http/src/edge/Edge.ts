// Middleware of the API's listener: request ids, access log, metrics, traces, and one body for all errors of handlers, the
// router, the framework and defects.
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { TooComplex } from "@tentpole/core/ports/Parsers"
import { traced } from "@tentpole/adapters/operations/Tracing"
import { ByteSize, Cause, Clock, Effect, Option, Predicate, Stream, type Types } from "effect"
import {
  HttpBody,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  HttpTraceContext,
  Multipart,
} from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { body, table, toBody } from "./Errors.ts"
import { measured } from "./HttpMetrics.ts"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const answerWith = (code: ErrorCode, message: string): Response =>
  HttpServerResponse.jsonUnsafe(body(code, message), { status: table[code].status })

/** The response to a refusal of the core. */
export const refusalResponse = (
  refusal: Parameters<typeof toBody>[0],
  headers: Readonly<Record<string, string>> = {},
): Response => HttpServerResponse.jsonUnsafe(toBody(refusal), { status: table[refusal.code].status, headers })

/** The caller's request id if it has 1 to 128 letters, digits, dots, hyphens and underscores, otherwise a new one. */
const requestId = (header: string | undefined): string =>
  header !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID()

/** A route of the API: distinguishes 405 from 404, and names requests in logs and metrics without their data. */
interface Route {
  readonly method: string
  readonly path: string
  readonly matches: RegExp
}

/** Monitoring polls these routes every few seconds: they have metrics, but are logged at debug level only. */
const monitored: ReadonlyArray<Route> = ["/healthz", "/readyz", "/metrics"].map((path) => ({
  method: "GET",
  path,
  matches: new RegExp(`^${path}$`),
}))

export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
): ReadonlyArray<Route> =>
  (Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>)
    .flatMap(({ endpoints }) => Object.values(endpoints))
    .map(({ method, path }) => {
      const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[A-Za-z_]+/g, "[^/]+")
      return { method, path, matches: new RegExp(`^${pattern}$`) }
    })

const pathOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? url : url.slice(0, at)
}

/** Without this check, an endpoint would get an empty parameter. */
const endsWithSlash = (path: string): boolean => path.length > 1 && path.endsWith("/")

const notFoundOr405 = (routes: ReadonlyArray<Route>, method: string, path: string): Response => {
  if (endsWithSlash(path)) return answerWith("not_found", "This path does not exist. Remove the slash at its end")
  const here = routes.filter((route) => route.matches.test(path)).map((route) => route.method)
  if (here.length === 0 || here.includes(method)) {
    return answerWith("not_found", "This path does not exist. See /openapi.json for the description of the API")
  }
  const allowed = [...new Set(here.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])))].sort().join(", ")
  return HttpServerResponse.setHeader(
    answerWith("method_not_allowed", `This path does not support ${method}. Allowed: ${allowed}`),
    "allow",
    allowed,
  )
}

/** `most` is the limit that was exceeded, if known. */
const tooLarge = (most?: ByteSize.ByteSize) =>
  answerWith(
    "payload_too_large",
    most === undefined
      ? "The body exceeds the limit of this endpoint"
      : `The body exceeds the limit of ${ByteSize.toNumberUnsafe(most) / 2 ** 20} MB. Send it in parts`,
  )
const unavailable = (message: string) =>
  HttpServerResponse.setHeader(answerWith("unavailable", message), "retry-after", "5")

/** The response to a failure. If the caller disconnected, the server handles the interruption. */
const fromCause = (cause: Cause.Cause<Types.unhandled>, routes: ReadonlyArray<Route>, method: string, path: string) =>
  Effect.suspend((): Effect.Effect<Response, Types.unhandled> => {
    const error = Cause.squash(cause)
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    if (error instanceof Unavailable) return Effect.succeed(unavailable(error.message))
    if (error instanceof TooComplex) return Effect.succeed(answerWith(error.code, error.message))
    if (Multipart.isMultipartError(error)) {
      return Effect.succeed(
        error.reason._tag === "Parse" ? answerWith("validation_failed", "The multipart body is malformed") : tooLarge(),
      )
    }
    const reason = HttpServerError.isHttpServerError(error) ? error.reason : undefined
    if (reason?._tag === "RouteNotFound") return Effect.succeed(notFoundOr405(routes, method, path))
    if (reason?._tag === "RequestParseError") {
      return reason.reason === "BodyTooLarge"
        ? Effect.map(HttpIncomingMessage.MaxBodySize, tooLarge)
        : Effect.succeed(answerWith("validation_failed", "The body can't be read"))
    }
    if (error instanceof RangeError)
      return Effect.succeed(answerWith("validation_failed", "The body is nested too deeply"))
    return Effect.as(
      Effect.logError("request failed with a defect", cause),
      answerWith("internal_error", "An unexpected error occurred. Try again, and report the request id if it persists"),
    )
  })

/** Errors of the framework that have no body of ours. */
const bare: { readonly [status: number]: readonly [ErrorCode, string] } = {
  400: ["validation_failed", "The request is malformed"],
  404: ["not_found", "This path does not exist"],
  413: ["payload_too_large", "The body exceeds the limit of this endpoint"],
  415: ["unsupported_media_type", "The endpoint does not accept the Content-Type of the body"],
  500: ["internal_error", "An unexpected error occurred. Try again, and report the request id if it persists"],
  503: ["unavailable", "The service is not available. Try again in a few seconds"],
}

const jsonBody = (response: Response): object | undefined => {
  if (response.body._tag !== "Uint8Array" || !response.body.contentType.startsWith("application/json")) return undefined
  const parsed: unknown = JSON.parse(new TextDecoder().decode(response.body.body))
  return Predicate.hasProperty(parsed, "error_code") ? parsed : undefined
}

/** Completes the body of an error with the request id. `challenges`: a 401 names the scheme of credentials, as HTTP demands. */
const uniform = (response: Response, id: string, challenges: boolean): Response => {
  if (response.status < 400) return response
  const own = jsonBody(response)
  const fallback = bare[response.status]
  const made = own ?? (fallback === undefined ? undefined : { ...body(fallback[0], fallback[1]) })
  if (made === undefined) return response
  const details = Predicate.hasProperty(made, "details") && Predicate.isObject(made.details) ? made.details : {}
  const whole = HttpServerResponse.jsonUnsafe(
    { ...made, details: { ...details, request_id: id } },
    { status: response.status },
  )
  const { "content-type": _type, "content-length": _length, ...headers } = response.headers
  const answered = HttpServerResponse.setHeaders(whole, headers)
  return response.status === 401 && challenges
    ? HttpServerResponse.setHeader(answered, "www-authenticate", "Bearer")
    : answered
}

/** Logs a response that breaks off. Its status has already been sent. */
const loggedIfBroken = (response: Response, id: string): Response => {
  const { body } = response
  if (body._tag !== "Stream") return response
  const bytes = Stream.tapCause(body.stream, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.logError("response broke off", cause).pipe(Effect.annotateLogs({ request_id: id })),
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(bytes, body.contentType, body.contentLength))
}

/** The trace span of a request, named after its route. It continues the caller's trace (`traceparent`). */
const asTrace = ({ headers, method }: HttpServerRequest.HttpServerRequest, route: string, id: string) =>
  traced(`${method} ${route}`, {
    kind: "server",
    parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(headers)),
    attributes: { "http.request.method": method, "http.route": route, request_id: id },
  })

interface EdgeOptions {
  /** Answers requests that the listener does not take. */
  readonly refusal?: (request: Request) => Response | null
  /** Whether a 401 asks for a bearer key. Listeners without keys ask for none: default true. */
  readonly challenges?: boolean
}

/** The middleware of a listener. Logs contain the route, not the path or the query, which can contain addresses and tokens. */
export const edge = (routes: ReadonlyArray<Route>, { challenges = true, refusal = () => null }: EdgeOptions = {}) =>
  HttpRouter.middleware(
    (handle) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const began_ms = yield* Clock.currentTimeMillis
        const id = requestId(request.headers["x-request-id"])
        const path = pathOf(request.url)
        const named = [...routes, ...monitored].find(
          (each) => each.method === request.method && each.matches.test(path),
        )
        const route = named?.path ?? "other"
        const refused = refusal(request) ?? (endsWithSlash(path) ? notFoundOr405(routes, request.method, path) : null)
        const handled = refused === null ? handle : Effect.succeed(refused)
        const answer = Effect.catchCause(handled, (cause) => fromCause(cause, routes, request.method, path)).pipe(
          Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
        )
        const isMonitored = named !== undefined && monitored.includes(named)
        const response = yield* (isMonitored ? answer : answer.pipe(asTrace(request, route, id))).pipe(
          Effect.annotateLogs({ request_id: id }),
        )
        const answered = isMonitored ? response : loggedIfBroken(uniform(response, id, challenges), id)
        const taken_ms = yield* measured(route, request.method, answered.status, began_ms)
        const log = isMonitored ? Effect.logDebug : Effect.logInfo
        yield* log("request").pipe(
          Effect.annotateLogs({ request_id: id, method: request.method, route, status: answered.status, taken_ms }),
        )
        return HttpServerResponse.setHeaders(answered, {
          "x-request-id": id,
          "x-content-type-options": "nosniff",
          "cache-control": answered.headers["cache-control"] ?? "no-store",
        })
      }),
    { global: true },
  )
