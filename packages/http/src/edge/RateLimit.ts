// The limit of requests a minute of each API key, over all processes. Every response to a key carries the RateLimit headers.
import { requestLimit } from "@tentpole/core/kernel/runtime/RequestLimit"
import type { Taken } from "@tentpole/core/kernel/runtime/TokenBucket"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Body, body } from "./Errors.ts"

/** Keys that a process remembers. */
const keys_max = 10_000

const headersOf = (perMinute: number, { allowed, remaining, reset_s, retryAfter_s }: Taken) => ({
  "ratelimit-limit": String(perMinute),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(reset_s),
  ...(allowed ? {} : { "retry-after": String(retryAfter_s) }),
})

const rateLimited = (reason: string, wait_s: number) =>
  body("rate_limited", `${reason}. Try again in ${wait_s} second${wait_s === 1 ? "" : "s"}`)

/** Sets headers of the response, whatever the handler answers. */
export const withHeaders = (headers: Readonly<Record<string, string>>) =>
  HttpEffect.appendPreResponseHandler((_, response) => Effect.succeed(HttpServerResponse.setHeaders(response, headers)))

/** Fails with 429 and Retry-After. */
export const tooManyRequests = (reason: string, wait_s: number) =>
  Effect.andThen(withHeaders({ "retry-after": String(wait_s) }), Effect.fail(rateLimited(reason, wait_s)))

type Limiter = (key: string) => Effect.Effect<void, Body<"rate_limited">, HttpServerRequest.HttpServerRequest>

/** Counts a request of the key or session, and fails if the limit is exceeded. 0 requests a minute means no limit. */
export const rateLimiter = Effect.fnUntraced(function* (perMinute: number, of: "key" | "session" = "key") {
  if (perMinute === 0) return () => Effect.void
  const { take } = yield* requestLimit({
    limit: of === "key" ? "api key" : of,
    capacity: perMinute,
    per_second: perMinute / 60,
    keys_max,
  })
  return Effect.fnUntraced(function* (key: string) {
    const taken = yield* take(key)
    yield* withHeaders(headersOf(perMinute, taken))
    if (taken.allowed) return
    return yield* Effect.fail(
      rateLimited(`The limit of this ${of} is ${perMinute} requests per minute`, taken.retryAfter_s),
    )
  }) satisfies Limiter
})
