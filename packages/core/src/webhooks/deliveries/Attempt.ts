// An attempt to bring a webhook to its receiver, and how it ended.
import { DateTime, Option } from "effect"

/** Why an attempt failed. `unknown_outcome`: the worker stopped before it had an answer. */
export const attemptErrors = [
  "http_status",
  "redirect",
  "timeout",
  "connect_failed",
  "connection_reset",
  "tls_failed",
  "dns_failed",
  "address_refused",
  "response_too_large",
  "unknown_outcome",
] as const
export type AttemptError = (typeof attemptErrors)[number]

/** How an attempt ended. Without an error the answer was 2xx. */
export interface AttemptOutcome {
  /** Null: there was no answer. */
  readonly statusCode: number | null
  readonly error: AttemptError | null
  /** Of the header `Retry-After`. */
  readonly retryAfter_s: number | null
}

/** The seconds of a header `Retry-After`: a number, or a date. Null: it says nothing. */
export const readRetryAfter = (header: string | null, now: DateTime.Utc): number | null => {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header)
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header)) return null
  const at = Option.getOrNull(DateTime.make(header))
  return at === null ? null : Math.max(0, Math.ceil((at.epochMilliseconds - now.epochMilliseconds) / 1000))
}
