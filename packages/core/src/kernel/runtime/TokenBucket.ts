// Token buckets: up to `capacity` requests at once, refilled evenly. One bucket for each key, in bounded memory.
import { WeightedLru } from "./WeightedLru.ts"

export interface BucketOptions {
  readonly capacity: number
  readonly per_second: number
}

export interface Bucket {
  /** May be a fraction. */
  readonly tokens: number
  readonly at_ms: number
}

export interface Taken {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Requests that are allowed right after this one. */
  readonly remaining: number
  /** Seconds until the bucket is full. */
  readonly reset_s: number
  /** Seconds until one more request is allowed; 0 if this one was. */
  readonly retryAfter_s: number
}

/** Rounding errors smaller than this refuse no request. */
const rounding = 1e-9

/** Takes a token if there is one. `undefined` is a full bucket. A clock that was set back changes no tokens. */
export const takeToken = (
  before: Bucket | undefined,
  { capacity, per_second }: BucketOptions,
  now_ms: number,
): Taken => {
  const passed_s = before === undefined ? 0 : Math.max(0, now_ms - before.at_ms) / 1000
  const filled = before === undefined ? capacity : Math.min(capacity, before.tokens + passed_s * per_second)
  const allowed = filled >= 1 - rounding
  const tokens = allowed ? Math.max(0, filled - 1) : filled
  const secondsFor = (missing: number) => Math.ceil(Math.max(0, missing - rounding) / per_second)
  return {
    bucket: { tokens, at_ms: now_ms },
    allowed,
    remaining: Math.floor(tokens + rounding),
    reset_s: secondsFor(capacity - tokens),
    retryAfter_s: allowed ? 0 : Math.max(1, secondsFor(1 - tokens)),
  }
}

/** A bucket for each key. Beyond `keys_max` keys, the least recently used one starts again with a full bucket. */
export const tokenBuckets = (options: BucketOptions & { readonly keys_max: number }) => {
  const buckets = new WeightedLru<Bucket>(options.keys_max)
  return (key: string, now_ms: number): Taken => {
    const taken = takeToken(buckets.get(key), options, now_ms)
    buckets.set(key, taken.bucket)
    return taken
  }
}
