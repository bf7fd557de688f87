// The limit of form submissions of one visitor: a token bucket for each network address, counted by each process.
import { tokenBuckets } from "@tentpole/core/kernel/runtime/TokenBucket"
import { networkOf } from "./ClientAddress.ts"

export interface LimitOptions {
  /** Submissions at once: many people may share an address. */
  readonly burst: number
  readonly per_second: number
  readonly visitors_max: number
}

export const limitDefaults: LimitOptions = { burst: 30, per_second: 0.5, visitors_max: 100_000 }

/** Returns a function that takes a token of the address: 0, or the seconds until there is one. */
export const visitorLimit = ({ burst, per_second, visitors_max }: LimitOptions = limitDefaults) => {
  const take = tokenBuckets({ capacity: burst, per_second, keys_max: visitors_max })
  return (address: string, now_ms: number): number => take(networkOf(address), now_ms).retryAfter_s
}
