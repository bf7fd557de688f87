// The limit of requests a minute of each API key, counted by each process. Every response to a key carries the RateLimit headers.
import { type Taken, tokenBuckets } from "@tentpole/core/kernel/runtime/TokenBucket"
import { Clock, Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Body, body } from "./Errors.ts"

/** Keys counted at a time. Beyond, the least recently used key starts again. */
const keys_max = 10_000

const headersOf = (perMinute: number, { allowed, remaining, reset_s, retryAfter_s }: Taken) => ({
  "ratelimit-limit": String(perMinute),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(reset_s),
  ...(allowed ? {} : { "retry-after": String(retryAfter_s) }),
})

export const rateLimited = (reason: string, wait_s: number) =>
  body("rate_limited", `${reason}. Try again in ${wait_s} second${wait_s === 1 ? "" : "s"}`)

/** Sets headers of the response, whatever the handler answers. */
export const withHeaders = (headers: Readonly<Record<string, string>>) =>
  HttpEffect.appendPreResponseHandler((_, response) => Effect.succeed(HttpServerResponse.setHeaders(response, headers)))

type Limiter = (key: string) => Effect.Effect<void, Body<"rate_limited">, HttpServerRequest.HttpServerRequest>

/** Counts a request of the key, and fails if the limit is exceeded. 0 requests a minute means no limit. */
export const rateLimiter = (perMinute: number): Limiter => {
  if (perMinute === 0) return () => Effect.void
  const take = tokenBuckets({ capacity: perMinute, per_second: perMinute / 60, keys_max })
  return Effect.fnUntraced(function* (key: string) {
    const taken = take(key, yield* Clock.currentTimeMillis)
    yield* withHeaders(headersOf(perMinute, taken))
    if (taken.allowed) return
    return yield* Effect.fail(
      rateLimited(`The limit of this key is ${perMinute} requests per minute`, taken.retryAfter_s),
    )
  })
}
