// Token buckets: up to `capacity` requests at once, refilled evenly. All processes share a bucket; each takes blocks of its tokens.

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
export const rounding = 1e-9

/** The tokens of a bucket now. `undefined` is a full bucket. A clock that was set back changes no tokens. */
const filledAt = (before: Bucket | undefined, { capacity, per_second }: BucketOptions, now_ms: number): number =>
  before === undefined
    ? capacity
    : Math.min(capacity, before.tokens + (Math.max(0, now_ms - before.at_ms) / 1000) * per_second)

/** Takes a token if there is one. */
export const takeToken = (before: Bucket | undefined, options: BucketOptions, now_ms: number): Taken => {
  const { capacity, per_second } = options
  const filled = filledAt(before, options, now_ms)
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

/** A statement about a shared bucket: returns unused tokens, and takes up to `wanted` whole ones. */
export interface BlockRequest {
  readonly wanted: number
  readonly returned: number
}

export interface BlockTaken {
  readonly taken: number
  /** What the shared bucket has left. */
  readonly bucket: Bucket
}

/** What every store of shared buckets does, in one step. Returned tokens beyond the capacity lapse. */
export const takeBlock = (
  before: Bucket | undefined,
  { returned, wanted }: BlockRequest,
  options: BucketOptions,
  now_ms: number,
): BlockTaken => {
  const filled = Math.min(options.capacity, filledAt(before, options, now_ms) + returned)
  const taken = Math.min(wanted, Math.floor(filled + rounding))
  return { taken, bucket: { tokens: Math.max(0, filled - taken), at_ms: now_ms } }
}

/** The tokens that a process took from a shared bucket, and what the bucket had left then. */
export interface Block {
  readonly tokens: number
  /** From then on the tokens can't be used, only returned: the shared bucket has been refilled by as many. */
  readonly until_ms: number
  readonly shared: Bucket
}

const block_share = 0.05

/** The tokens that a process takes at a time. */
export const blockSize = ({ capacity }: BucketOptions): number => Math.max(1, Math.floor(capacity * block_share))

/** The block after a statement that took tokens. */
export const blockOf = ({ bucket, taken }: BlockTaken, options: BucketOptions): Block => ({
  tokens: taken,
  until_ms: bucket.at_ms + (blockSize(options) / options.per_second) * 1000,
  shared: bucket,
})

/** All tokens that the process knows of, as one bucket. */
export const wholeOf = ({ shared, tokens }: Block, options: BucketOptions, now_ms: number): Bucket => ({
  tokens: Math.min(options.capacity, filledAt(shared, options, now_ms) + tokens),
  at_ms: now_ms,
})

/** Takes a token from the block, or refuses when the shared bucket has none either. Null: another block is needed. */
export const takeFromBlock = (
  block: Block | undefined,
  options: BucketOptions,
  now_ms: number,
): { readonly block: Block; readonly taken: Taken } | null => {
  if (block === undefined) return null
  const taken = takeToken(wholeOf(block, options, now_ms), options, now_ms)
  if (!taken.allowed) return { block, taken }
  return block.tokens >= 1 && now_ms < block.until_ms ? { block: { ...block, tokens: block.tokens - 1 }, taken } : null
}

/** The bucket of a process alone, while the store does not answer: other processes allow requests too. */
const alone_share = 0.5

export const aloneOptions = ({ capacity, per_second }: BucketOptions): BucketOptions => ({
  capacity: Math.max(1, capacity * alone_share),
  per_second: per_second * alone_share,
})
