// Failures of a call: an error response, no response, or an unexpected one.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import type { Issue } from "@tentpole/core/kernel/Refusal"
import { Data, Predicate, Result } from "effect"

/** An error response of the API. See docs/errors.md for its codes. */
export class ApiError<Code extends string = ErrorCode> extends Data.TaggedError("ApiError")<{
  readonly code: Code
  readonly status: number
  readonly message: string
  /** Id of the request in the service's log. */
  readonly requestId: string | null
  /** The issues of an invalid request, each with a path such as `items.3.email`. */
  readonly issues: ReadonlyArray<Issue>
  /** `details` of the body, such as `missing` and `status`. */
  readonly details: Readonly<Record<string, unknown>>
  /** The whole body. Some codes have further top-level fields, such as `limit`. */
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds to wait before the next attempt, if the response says so. */
  readonly retryAfter_s: number | null
}> {
  /** Narrows the type to these codes. */
  is<const Some extends Code>(...codes: ReadonlyArray<Some>): this is ApiError<Some> {
    return codes.some((code) => code === this.code)
  }
}

/** No response because of the URL, the network or a timeout. The request may have been executed. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** A response that does not match the API, for example from a proxy or an incompatible version. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly message: string
  readonly status: number
  readonly requestId: string | null
  readonly retryAfter_s: number | null
  readonly cause?: unknown
}> {}

export type Failure<Code extends string = ErrorCode> = ApiError<Code> | ConnectionFailed | UnexpectedAnswer

const isIssue = (value: unknown): value is Issue =>
  Predicate.isObject(value) && typeof value["path"] === "string" && typeof value["message"] === "string"

/** Parses `Retry-After`: seconds or an HTTP date. */
export const retryAfterOf = (header: string | null | undefined, now_ms: number): number | null => {
  if (header === null || header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at_ms = Date.parse(header)
  return Number.isNaN(at_ms) ? null : Math.max(0, Math.ceil((at_ms - now_ms) / 1000))
}

/** The failure for an error response. Proxies and load balancers have other bodies. */
export const toFailure = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string | undefined>>,
  now_ms: number,
): ApiError<string> | UnexpectedAnswer => {
  const body = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  const requestId = headers["x-request-id"] ?? null
  const retryAfter_s = retryAfterOf(headers["retry-after"], now_ms)
  if (!Predicate.isObject(body) || typeof body["code"] !== "string" || typeof body["message"] !== "string") {
    return new UnexpectedAnswer({
      message: `The response has status ${status} and is not an error of this API: ${text.slice(0, 200)}`,
      status,
      requestId,
      retryAfter_s,
    })
  }
  const details = Predicate.isObject(body["details"]) ? body["details"] : {}
  const issues = Array.isArray(details["issues"]) ? details["issues"].filter(isIssue) : []
  return new ApiError({
    code: body["code"],
    status,
    message: body["message"],
    requestId: typeof details["request_id"] === "string" ? details["request_id"] : requestId,
    issues,
    details,
    body,
    retryAfter_s,
  })
}
