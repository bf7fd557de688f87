// Send rate limits of a workspace and of each recipient domain: a bucket of permits that fills at the rate, one permit for each
// message. All workers share the buckets. The reasons are in docs/decisions/0004-pace.md.

/** A bucket, as the last claim left it. */
export interface RateBucket {
  /** Fractions are stored too: the next permit is filling. */
  readonly permits: number
  /** The time of that claim, by the store's clock. */
  readonly at_ms: number
  /** The claim took permits, so that more messages may be waiting. They are owed what fills in from then on. */
  readonly waited: boolean
}

/** The burst after an idle time: what fills in during this time while no message waits. */
export const idle_ms = 250
/** The burst after a pause of all workers: what fills in during this time for waiting messages. */
export const late_ms = 1000

/** The size of a bucket. For waiting messages: the permit that was filling, and all that filled in since. */
export const bucketSize = (per_second: number, waited: boolean): number =>
  waited ? 1 + (per_second * late_ms) / 1000 : Math.max(1, (per_second * idle_ms) / 1000)

/** A rate-limited workspace has at most one turn in this time: messages leave in small groups, not one by one. */
export const turn_ms = 100
/** A permit expires. A message that was not started within this time goes back into the queue and needs a new permit. */
export const permit_ms = 2000

/** A bucket that was never used: the first message may be sent at once. */
export const newBucket = (now_ms: number): RateBucket => ({ permits: 1, at_ms: now_ms, waited: false })

/** A clock that was set back fills in nothing. */
const level = (bucket: RateBucket, per_second: number, now_ms: number): number => {
  const filled = (per_second * Math.max(0, now_ms - bucket.at_ms)) / 1000
  return Math.min(bucketSize(per_second, bucket.waited), bucket.permits + filled)
}

/** Rounds up permits that lack only a floating point error. */
const rounding = 1e-6

/** Whole permits that may be taken now. */
export const availablePermits = (bucket: RateBucket, per_second: number, now_ms: number): number =>
  Math.floor(level(bucket, per_second, now_ms) + rounding)

/** The bucket after `count` permits were taken. With 0, no message waits. */
export const takePermits = (bucket: RateBucket, per_second: number, now_ms: number, count: number): RateBucket => ({
  permits: Math.max(0, level(bucket, per_second, now_ms) - count),
  at_ms: now_ms,
  waited: count > 0,
})

/** When there will be a whole permit. */
export const nextPermit_ms = (bucket: RateBucket, per_second: number): number =>
  bucket.at_ms + (Math.max(0, 1 - bucket.permits) * 1000) / per_second
