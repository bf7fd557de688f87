// The limit of failed key look-ups of each network address, over all processes. A key that was valid recently is exempt, so
// that no caller is locked out by others behind the same address.
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { requestLimit } from "@tentpole/core/kernel/runtime/RequestLimit"
import { Context, Effect } from "effect"
import { hash } from "node:crypto"
import { networkOf } from "../pages/ClientAddress.ts"

/** Equal to the rate limit of a key: a program with a revoked key stays below it. */
export const unknown_keys_per_minute_max = 1_200

/** Overrides the limit. */
export const UnknownKeysPerMinute = Context.Reference<number>("tentpole/http/UnknownKeysPerMinute", {
  defaultValue: () => unknown_keys_per_minute_max,
})

/** Sizes of the caches. The least recently used entries are removed. */
export interface WrongKeysOptions {
  readonly addresses_max: number
  readonly right_keys_max: number
}

const defaults: WrongKeysOptions = {
  addresses_max: 100_000,
  right_keys_max: 10_000,
}

/** Whether a key may be looked up. */
export interface Admission {
  /** Seconds to wait; 0 if the key may be looked up. */
  readonly wait_s: number
  /** Reports the result of the lookup. */
  readonly settled: (wasRight: boolean) => void
}

export const wrongKeys = Effect.fnUntraced(function* (
  perMinute: number,
  { addresses_max, right_keys_max }: WrongKeysOptions = defaults,
) {
  const { take } = yield* requestLimit({
    limit: "unknown keys",
    capacity: perMinute,
    per_second: perMinute / 60,
    keys_max: addresses_max,
  })
  // By hash: the process keeps no keys.
  const right = new WeightedLru<boolean>(right_keys_max)

  return Effect.fnUntraced(function* (address: string, key: string) {
    const digest = hash("sha256", key, "base64")
    const isKnown = right.get(digest) ?? false
    return {
      wait_s: isKnown ? 0 : (yield* take(networkOf(address))).retryAfter_s,
      // One that was right until it was revoked counts from then on.
      settled: (wasRight) => {
        if (wasRight || isKnown) right.set(digest, wasRight)
      },
    } satisfies Admission
  })
})
