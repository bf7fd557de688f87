// What a call can fail with: an answer that is a refusal, no answer, or one that is not as described.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import type { Issue } from "@tentpole/core/kernel/Refusal"
import { Data } from "effect"

/** An answer that refuses, in the one body that errors have. `code` says which; docs/errors.md says what to do about each. */
export class ApiError<Code extends string = ErrorCode> extends Data.TaggedError("ApiError")<{
  readonly code: Code
  readonly status: number
  readonly message: string
  /** Names the request in the service's log: for whoever asks about it. */
  readonly requestId: string | null
  /** What is wrong, and where: `items.3.email`. Empty unless something in the request is. */
  readonly issues: ReadonlyArray<Issue>
  /** All of `details`: `missing`, `status` and what else the code tells. */
  readonly details: Readonly<Record<string, unknown>>
  /** The body whole: some codes tell more at its top, as `limit` and `current`, or `existing_contact`. */
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds until the call may be made again, if the answer says so. */
  readonly retryAfter_s: number | null
}> {
  /** Whether it is one of these codes; the compiler then knows. */
  is<const Some extends Code>(...codes: ReadonlyArray<Some>): this is ApiError<Some> {
    return codes.some((code) => code === this.code)
  }
}

/** No answer: the address, the network, a time limit. Whether the call was carried out is not known. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** An answer that is not as described: another service's, or one of a version that this client does not know. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly message: string
  readonly status: number
  readonly requestId: string | null
  readonly retryAfter_s: number | null
  readonly cause?: unknown
}> {}

export type Failure<Code extends string = ErrorCode> = ApiError<Code> | ConnectionFailed | UnexpectedAnswer

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && typeof value["path"] === "string" && typeof value["message"] === "string"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds, or a date of HTTP's. */
export const retryAfterOf = (header: string | null | undefined, now_ms: number): number | null => {
  if (header === null || header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at_ms = Date.parse(header)
  return Number.isNaN(at_ms) ? null : Math.max(0, Math.ceil((at_ms - now_ms) / 1000))
}

/** A refusal as it came; something that stands between (a proxy, a load balancer) may have answered in words of its own. */
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
    return new UnexpectedAnswer({
      message: `The answer is ${status}, and its body is no error of this API: ${text.slice(0, 200)}`,
      status,
      requestId,
      retryAfter_s,
    })
  }
  const details = isObject(body["details"]) ? body["details"] : {}
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
