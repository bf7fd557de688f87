// Retry policy. Retried are reads, POSTs with an idempotency key, and requests that were rejected before processing.
import { ApiError, ConnectionFailed, type Failure } from "./Failures.ts"

export interface RetryLimits {
  /** Attempts of a call, including the first one. */
  readonly attempts_max: number
  /** A longer `Retry-After` is not waited for: the call fails. */
  readonly wait_max_ms: number
}

export const retryLimits: RetryLimits = { attempts_max: 4, wait_max_ms: 30_000 }

export interface Attempted {
  readonly method: string
  /** Whether the call has an idempotency key. */
  readonly keyed: boolean
  /** Number of the attempt, from 1. */
  readonly attempt: number
  readonly failure: Failure<string>
}

const backoff_ms = 500

const isRepeatable = ({ method, keyed }: Attempted): boolean =>
  method === "GET" || method === "HEAD" || (method === "POST" && keyed)

/** Whether the request was rejected before processing. */
const wasRejected = ({ failure }: Attempted): boolean => failure instanceof ApiError && failure.code === "rate_limited"

/** Whether an earlier attempt of this call is still running. */
const isStillRunning = ({ attempt, failure }: Attempted): boolean =>
  attempt > 1 && failure instanceof ApiError && failure.code === "idempotency_in_progress"

/** Whether the failure is temporary: no response, 503, or a 429 with `Retry-After`. */
const isTemporary = (attempted: Attempted): boolean => {
  const { failure } = attempted
  if (failure instanceof ConnectionFailed) return true
  return (
    failure.status === 503 || (failure.status === 429 && failure.retryAfter_s !== null) || isStillRunning(attempted)
  )
}

/** Milliseconds until the next attempt, or null for none. `random` from 0 to 1 spreads the attempts of several callers. */
export const waitBeforeRetry = (attempted: Attempted, limits: RetryLimits, random: number): number | null => {
  const { attempt, failure } = attempted
  if (attempt >= limits.attempts_max || !isTemporary(attempted)) return null
  if (!isRepeatable(attempted) && !wasRejected(attempted)) return null
  const retryAfter_s = failure instanceof ConnectionFailed ? null : failure.retryAfter_s
  // At least `Retry-After`, otherwise half of the backoff, plus a random part.
  const retryAfter_ms = (retryAfter_s ?? 0) * 1000
  const growing_ms = backoff_ms * 2 ** (attempt - 1)
  if (retryAfter_ms > limits.wait_max_ms) return null
  const least_ms = retryAfter_s === null ? growing_ms / 2 : retryAfter_ms
  return Math.round(Math.min(least_ms + random * growing_ms, Math.max(limits.wait_max_ms, retryAfter_ms)))
}
