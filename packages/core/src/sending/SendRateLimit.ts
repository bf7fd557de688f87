// How fast a workspace sends, and each recipient domain of it, where a limit is set: a bucket of permits that fills at the
// rate, one permit a message. Nothing is taken beyond it, over all workers together. Why it is so: docs/decisions/0004-pace.md.

/** A bucket, as it was left by whoever last took from it. */
export interface RateBucket {
  /** The fraction of a permit is kept: it is on its way. */
  readonly permits: number
  /** When that was so, by the store's clock. */
  readonly at_ms: number
  /** Something was taken then. What fills in from that moment is owed to those who still wait. */
  readonly waited: boolean
}

/** What fills into a bucket that nobody waits at: so much goes at once after an idle time. */
export const idle_ms = 250
/** What fills in for those who wait, however late the next look is: so much goes at once after a pause of all senders. */
export const late_ms = 1000

/** The most that a bucket holds. For those who wait that is the permit that was on its way, and all that came in after it. */
export const bucketSize = (per_second: number, waited: boolean): number =>
  waited ? 1 + (per_second * late_ms) / 1000 : Math.max(1, (per_second * idle_ms) / 1000)

/** A paced workspace has no more turns than one in this time: messages leave in small groups, not one by one. */
export const turn_ms = 100
/** A permit is for now. A message that could not be begun for so long goes back into the queue, and waits for another one. */
export const permit_ms = 2000

/** Of what nothing has been sent yet: the first message may go. */
export const newBucket = (now_ms: number): RateBucket => ({ permits: 1, at_ms: now_ms, waited: false })

/** A clock that was set back fills nothing in. */
const level = (bucket: RateBucket, per_second: number, now_ms: number): number => {
  const filled = (per_second * Math.max(0, now_ms - bucket.at_ms)) / 1000
  return Math.min(bucketSize(per_second, bucket.waited), bucket.permits + filled)
}

/** Lest a permit that is there but for the last bit of a fraction be waited for. */
const rounding = 1e-6

/** Whole permits that may be taken now. */
export const availablePermits = (bucket: RateBucket, per_second: number, now_ms: number): number =>
  Math.floor(level(bucket, per_second, now_ms) + rounding)

/** The bucket after `count` were taken, none included: then nobody waits there. */
export const takePermits = (bucket: RateBucket, per_second: number, now_ms: number, count: number): RateBucket => ({
  permits: Math.max(0, level(bucket, per_second, now_ms) - count),
  at_ms: now_ms,
  waited: count > 0,
})

/** When there will be a whole permit. */
export const nextPermit_ms = (bucket: RateBucket, per_second: number): number =>
  bucket.at_ms + (Math.max(0, 1 - bucket.permits) * 1000) / per_second
