// How often one visitor may send forms: a bucket of permits for each address, which fills as time goes by. Kept by each
// process for itself, for the addresses seen last.
import { isIPv6 } from "node:net"
import { Bounded } from "@tentpole/core/Bounded"

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

/** Whoever has one address of IPv6 has the 2^64 of its network. */
const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = "", tail = ""] = address.split("::", 2)
  const [before, after] = [head, tail].map((part) => (part === "" ? [] : part.split(":")))
  const zeros = Array.from({ length: Math.max(0, 8 - (before?.length ?? 0) - (after?.length ?? 0)) }, () => "0")
  const groups = address.includes("::") ? [...(before ?? []), ...zeros, ...(after ?? [])] : (before ?? [])
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
