// The limit of requests a minute of each API key, counted by each process for itself. What is left stands in the headers of
// every answer to the key, whoever makes it.
import { type Bucket, isFull, take, type Taken } from "@tentpole/core/kernel/runtime/TokenBucket"
import { Clock, Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Body, body } from "./Errors.ts"

/** So many keys are counted at a time. Beyond, the ones that were used longest ago begin anew. */
const buckets_max = 10_000

/** The buckets of keys in the order of their last use; full ones are forgotten when there is no room. */
export const bucketsOf = (perMinute: number, most = buckets_max) => {
  const buckets = new Map<string, Bucket>()
  const makeRoom = (now_ms: number) => {
    for (const [key, bucket] of buckets) if (isFull(bucket, perMinute, now_ms)) buckets.delete(key)
    for (const key of buckets.keys()) {
      if (buckets.size < most) return
      buckets.delete(key)
    }
  }
  return {
    size: () => buckets.size,
    take: (key: string, now_ms: number): Taken => {
      const taken = take(buckets.get(key), perMinute, now_ms)
      buckets.delete(key)
      if (buckets.size >= most) makeRoom(now_ms)
      buckets.set(key, taken.bucket)
      return taken
    },
  }
}

const headersOf = (perMinute: number, { allowed, remaining, reset_s, retryAfter_s }: Taken) => ({
  "ratelimit-limit": String(perMinute),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(reset_s),
  ...(allowed ? {} : { "retry-after": String(retryAfter_s) }),
})

type Limiter = (key: string) => Effect.Effect<void, Body<"rate_limited">, HttpServerRequest.HttpServerRequest>

/** Counts a request of the key, and refuses it when it is one too many. 0 requests a minute: no limit. */
export const rateLimiter = (perMinute: number): Limiter => {
  if (perMinute === 0) return () => Effect.void
  const buckets = bucketsOf(perMinute)
  return Effect.fnUntraced(function* (key: string) {
    const taken = buckets.take(key, yield* Clock.currentTimeMillis)
    const headers = headersOf(perMinute, taken)
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, headers)),
    )
    if (taken.allowed) return
    const wait = `${taken.retryAfter_s} second${taken.retryAfter_s === 1 ? "" : "s"}`
    return yield* Effect.fail(
      body("rate_limited", `This key may make ${perMinute} requests a minute. Try again in ${wait}`),
    )
  })
}
