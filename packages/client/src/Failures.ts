// Failures of a call: an error response, no response, or an unexpected one.
import type { ErrorCode } from "./generated/ErrorCode.ts"

/** A problem of an invalid request, with its path, such as `items.3.email`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

type Fields = Readonly<Record<string, unknown>>

/** An error response of the API. See docs/errors.md for its codes. */
export class ApiError<Code extends string = ErrorCode> extends Error {
  readonly _tag = "ApiError"
  override readonly name = "ApiError"
  readonly code: Code
  readonly status: number
  /** Id of the request in the service's log. */
  readonly requestId: string | null
  /** The issues of an invalid request. */
  readonly issues: ReadonlyArray<Issue>
  /** `details` of the body, such as `missing` and `status`. */
  readonly details: Fields
  /** The whole body. Some codes have further top-level fields, such as `limit`. */
  readonly body: Fields
  /** Seconds to wait before the next attempt, if the response says so. */
  readonly retryAfter_s: number | null

  constructor({
    code,
    message,
    ...rest
  }: Pick<
    ApiError<Code>,
    "code" | "message" | "status" | "requestId" | "issues" | "details" | "body" | "retryAfter_s"
  >) {
    super(message)
    this.code = code
    this.status = rest.status
    this.requestId = rest.requestId
    this.issues = rest.issues
    this.details = rest.details
    this.body = rest.body
    this.retryAfter_s = rest.retryAfter_s
  }

  /** Narrows the type to these codes. */
  is<const Some extends Code>(...codes: ReadonlyArray<Some>): this is ApiError<Some> {
    return codes.some((code) => code === this.code)
  }
}

/** No response because of the URL, the network or a timeout. The request may have been executed. */
export class ConnectionFailed extends Error {
  readonly _tag = "ConnectionFailed"
  override readonly name = "ConnectionFailed"

  constructor({ cause, message }: { readonly message: string; readonly cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause })
  }
}

/** A response that does not match the API, for example from a proxy or an incompatible version. */
export class UnexpectedAnswer extends Error {
  readonly _tag = "UnexpectedAnswer"
  override readonly name = "UnexpectedAnswer"
  readonly status: number
  readonly requestId: string | null
  readonly retryAfter_s: number | null

  constructor({
    cause,
    message,
    requestId,
    retryAfter_s,
    status,
  }: Pick<UnexpectedAnswer, "message" | "status" | "requestId" | "retryAfter_s" | "cause">) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.requestId = requestId
    this.retryAfter_s = retryAfter_s
  }
}

export type Failure<Code extends string = ErrorCode> = ApiError<Code> | ConnectionFailed | UnexpectedAnswer

export const isFailure = (error: unknown): error is Failure<string> =>
  error instanceof ApiError || error instanceof ConnectionFailed || error instanceof UnexpectedAnswer

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && typeof value["path"] === "string" && typeof value["message"] === "string"

/** The value of a JSON text; undefined if it is not JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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
  const body = parsed(text)
  const requestId = headers["x-request-id"] ?? null
  const retryAfter_s = retryAfterOf(headers["retry-after"], now_ms)
  if (!isObject(body) || typeof body["code"] !== "string" || typeof body["message"] !== "string") {
    const message = `The response has status ${status} and is not an error of this API: ${text.slice(0, 200)}`
    return new UnexpectedAnswer({ message, status, requestId, retryAfter_s })
  }
  const details = isObject(body["details"]) ? body["details"] : {}
  return new ApiError({
    code: body["code"],
    status,
    message: body["message"],
    requestId: typeof details["request_id"] === "string" ? details["request_id"] : requestId,
    issues: Array.isArray(details["issues"]) ? details["issues"].filter(isIssue) : [],
    details,
    body,
    retryAfter_s,
  })
}
