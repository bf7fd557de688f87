// The limit of failed attempts to authenticate from each network address, over all processes.
import { requestLimit } from "@tentpole/core/kernel/runtime/RequestLimit"
import type { Taken } from "@tentpole/core/kernel/runtime/TokenBucket"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { callerAddress, networkOf } from "../pages/ClientAddress.ts"
import { tooManyRequests } from "../edge/RateLimit.ts"

/** Failures in a row. Afterwards one more is allowed each minute. */
export const failed_attempts_max = 10

/** Addresses that a process remembers. */
const addresses_max = 100_000

/** Both fail with 429 when the address has too many failures. Calls inside the process are not limited. */
export const attemptLimit = Effect.fnUntraced(function* (of: string) {
  const addressOf = yield* callerAddress
  const { peek, take } = yield* requestLimit({
    limit: `failed ${of}`,
    capacity: failed_attempts_max,
    per_second: 1 / 60,
    keys_max: addresses_max,
  })
  const limited = Effect.fnUntraced(function* (count: (network: string) => Effect.Effect<Taken>) {
    const address = addressOf(yield* HttpServerRequest.HttpServerRequest)
    if (address === null) return
    const { allowed, retryAfter_s } = yield* count(networkOf(address))
    if (!allowed) return yield* tooManyRequests(`Too many wrong ${of} from your address`, retryAfter_s)
  })
  return {
    /** Counts a failure of the address. */
    failed: limited(take),
    /** Counts nothing. */
    succeeded: limited(peek),
  }
})
