// Whether a call that failed is made again, and after how long. Only what can't happen twice is: reads; POSTs, which carry
// an idempotency key; and whatever was turned away before it began.
import { ApiError, ConnectionFailed, type Failure } from "./Failures.ts"

export interface RetryLimits {
  /** Of one call, the first among them. */
  readonly attempts_max: number
  /** Whoever is told to wait longer is told so, and decides. */
  readonly wait_max_ms: number
}

export const retryLimits: RetryLimits = { attempts_max: 4, wait_max_ms: 30_000 }

export interface Attempted {
  readonly method: string
  /** Whether the call has an idempotency key. */
  readonly keyed: boolean
  /** From 1. */
  readonly attempt: number
  readonly failure: Failure<string>
}

const backoff_ms = 500

const isRepeatable = ({ method, keyed }: Attempted): boolean =>
  method === "GET" || method === "HEAD" || (method === "POST" && keyed)

/** Refused before anything was done, whatever the method. */
const neverBegan = ({ failure }: Attempted): boolean => failure instanceof ApiError && failure.code === "rate_limited"

/** An attempt of ours that we gave up may still be running when the next one comes. */
const runsStill = ({ attempt, failure }: Attempted): boolean =>
  attempt > 1 && failure instanceof ApiError && failure.code === "idempotency_in_progress"

/** What passes by itself: no answer, 503, and a 429 that says when (one for want of credits does not). */
const mayPass = (attempted: Attempted): boolean => {
  const { failure } = attempted
  if (failure instanceof ConnectionFailed) return true
  return failure.status === 503 || (failure.status === 429 && failure.retryAfter_s !== null) || runsStill(attempted)
}

/**
 * Milliseconds until the next attempt, or null for none. `random` is from 0 to 1: callers that were turned away together
 * don't come back together.
 */
export const waitBeforeRetry = (attempted: Attempted, limits: RetryLimits, random: number): number | null => {
  const { attempt, failure } = attempted
  if (attempt >= limits.attempts_max || !mayPass(attempted)) return null
  if (!isRepeatable(attempted) && !neverBegan(attempted)) return null
  const told_s = failure instanceof ConnectionFailed ? null : failure.retryAfter_s
  // Never sooner than we were told, and longer each time; when we were told nothing, from half of it on.
  const told_ms = (told_s ?? 0) * 1000
  const growing_ms = backoff_ms * 2 ** (attempt - 1)
  if (told_ms > limits.wait_max_ms) return null
  const least_ms = told_s === null ? growing_ms / 2 : told_ms
  return Math.round(Math.min(least_ms + random * growing_ms, Math.max(limits.wait_max_ms, told_ms)))
}
