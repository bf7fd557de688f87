// How many requests a minute a key may make: a bucket that holds a minute's worth and refills evenly.

export interface Bucket {
  /** What may still be taken, with the fraction that has flowed in. */
  readonly tokens: number
  readonly at_ms: number
}

export interface Taken {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Whole requests that may follow at once. */
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly reset_s: number
  /** Seconds until one more request is allowed; 0 while one is. */
  readonly retryAfter_s: number
}

const minute_ms = 60_000

/** What is in it by now. A clock that was set back adds nothing, and takes nothing away. */
const filled = (bucket: Bucket | undefined, perMinute: number, now_ms: number): number => {
  if (bucket === undefined) return perMinute
  const passed_ms = Math.max(0, now_ms - bucket.at_ms)
  return Math.min(perMinute, bucket.tokens + (passed_ms * perMinute) / minute_ms)
}

/** Floating point leaves dust: a request is not refused for it. */
const dust = 1e-9

const seconds = (tokens: number, perMinute: number): number =>
  Math.ceil((Math.max(0, tokens - dust) * minute_ms) / perMinute / 1000)

/** Takes one request out of a bucket, or none when it is empty. `undefined` is a full one. */
export const take = (before: Bucket | undefined, perMinute: number, now_ms: number): Taken => {
  const there = filled(before, perMinute, now_ms)
  const allowed = there >= 1 - dust
  const tokens = allowed ? Math.max(0, there - 1) : there
  return {
    bucket: { tokens, at_ms: Math.max(now_ms, before?.at_ms ?? now_ms) },
    allowed,
    remaining: Math.floor(tokens + dust),
    reset_s: seconds(perMinute - tokens, perMinute),
    retryAfter_s: allowed ? 0 : Math.max(1, seconds(1 - tokens, perMinute)),
  }
}

/** A bucket that is full says nothing: it need not be kept. */
export const isFull = (bucket: Bucket, perMinute: number, now_ms: number): boolean =>
  filled(bucket, perMinute, now_ms) >= perMinute
