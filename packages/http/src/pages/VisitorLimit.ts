// How often one visitor may send forms: a bucket of permits for each address, which fills as time goes by. Kept by each
// process for itself, for the addresses seen last.
import { Bounded } from "@tentpole/core/kernel/runtime/WeightedLru"
import { networkOf } from "./ClientAddress.ts"

export interface LimitOptions {
  /** So many at once: a room full of people may share one address. */
  readonly burst: number
  readonly per_second: number
  readonly visitors_max: number
}

export const limitDefaults: LimitOptions = { burst: 30, per_second: 0.5, visitors_max: 100_000 }

interface Bucket {
  readonly permits: number
  readonly at_ms: number
}

export const visitorLimit = (options: LimitOptions = limitDefaults) => {
  const buckets = new Bounded<Bucket>(options.visitors_max)

  /** Takes a permit: 0, or for how many seconds there is none. */
  return (address: string, now_ms: number): number => {
    const visitor = networkOf(address)
    const { permits, at_ms } = buckets.get(visitor) ?? { permits: options.burst, at_ms: now_ms }
    // A clock that was set back gives nothing, and takes nothing away.
    const filled = Math.min(options.burst, permits + (Math.max(0, now_ms - at_ms) / 1_000) * options.per_second)
    const taken = filled >= 1
    buckets.set(visitor, { permits: taken ? filled - 1 : filled, at_ms: now_ms })
    return taken ? 0 : Math.ceil((1 - filled) / options.per_second)
  }
}
