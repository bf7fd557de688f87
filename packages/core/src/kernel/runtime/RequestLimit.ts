// A limit of requests over all processes: a shared token bucket for each key. A process takes blocks of tokens, so that a request
// rarely waits for the store, and counts alone while the store does not answer.
import { Clock, Deferred, Effect, Option } from "effect"
import {
  aloneOptions,
  type Block,
  blockOf,
  blockSize,
  type Bucket,
  type BucketOptions,
  type Taken,
  takeFromBlock,
  takeToken,
  wholeOf,
} from "./TokenBucket.ts"
import { TokenBucketStore } from "./TokenBucketStore.ts"
import { WeightedLru } from "./WeightedLru.ts"

export interface RequestLimitOptions extends BucketOptions {
  /** The name of the limit. Limits with different names have different buckets. */
  readonly limit: string
  /** Keys of which the process remembers blocks. The least recently used ones lapse. */
  readonly keys_max: number
}

export interface RequestLimit {
  /** Takes a token of the key, if there is one. */
  readonly take: (key: string) => Effect.Effect<Taken>
  /** Whether `take` would find a token. Asks the store. */
  readonly peek: (key: string) => Effect.Effect<Taken>
}

/** A request waits so long for the store. */
export const store_wait_ms = 250

/** After a failure or a wait in vain, the process counts alone for so long. */
export const store_pause_ms = 1_000

interface Held {
  block: Block | undefined
  /** The statement that is under way. It reports whether the store answered. */
  arriving: Deferred.Deferred<boolean> | null
  alone: Bucket | undefined
}

export const requestLimit = Effect.fnUntraced(function* ({ keys_max, limit, ...options }: RequestLimitOptions) {
  const store = yield* TokenBucketStore
  // Statements run with the services of the process, not on the connection of the caller's transaction.
  const fork = Effect.runForkWith(yield* Effect.context())
  const known = new WeightedLru<Held>(keys_max)
  const heldOf = (key: string) => known.getOrSet(key, () => ({ block: undefined, arriving: null, alone: undefined }))
  let paused_until_ms = 0

  const ask = (key: string, held: Held, wanted: number) => {
    const returned = held.block?.tokens ?? 0
    if (held.block !== undefined) held.block = { ...held.block, tokens: 0 }
    return store.takeBlock({ limit, key }, { wanted, returned }, options).pipe(
      Effect.map((answer) => {
        held.block = blockOf(answer, options)
        held.alone = undefined
        return true
      }),
      Effect.catchCause((cause) => Effect.as(Effect.logDebug("the store of request limits failed", cause), false)),
    )
  }

  /** Whether the store answered in time. Each key has one statement at a time, which ends although its caller disconnects. */
  const arrived = Effect.fnUntraced(function* (key: string, held: Held, wanted: number) {
    if ((yield* Clock.currentTimeMillis) < paused_until_ms) return false
    let { arriving } = held
    if (arriving === null) {
      const begun = Deferred.makeUnsafe<boolean>()
      arriving = held.arriving = begun
      fork(
        Effect.flatMap(ask(key, held, wanted), (answered) => {
          held.arriving = null
          return Deferred.succeed(begun, answered)
        }),
      )
    }
    const answered = yield* Effect.timeoutOption(Deferred.await(arriving), store_wait_ms)
    if (Option.getOrElse(answered, () => false)) return true
    paused_until_ms = (yield* Clock.currentTimeMillis) + store_pause_ms
    return false
  })

  /** Takes a token from this process's own bucket, which begins with what the process knows. */
  const takeAlone = (held: Held, now_ms: number): Taken => {
    const alone = aloneOptions(options)
    const known = held.block && {
      tokens: Math.min(alone.capacity, wholeOf(held.block, options, now_ms).tokens),
      at_ms: now_ms,
    }
    const taken = takeToken(held.alone ?? known, alone, now_ms)
    held.alone = taken.bucket
    return taken
  }

  const take = Effect.fnUntraced(function* (key: string) {
    const held = heldOf(key)
    while (true) {
      const now_ms = yield* Clock.currentTimeMillis
      const found = takeFromBlock(held.block, options, now_ms)
      if (found !== null) {
        held.block = found.block
        return found.taken
      }
      if (!(yield* arrived(key, held, blockSize(options)))) return takeAlone(held, yield* Clock.currentTimeMillis)
    }
  })

  const peek = Effect.fnUntraced(function* (key: string) {
    const held = heldOf(key)
    const isShared = yield* arrived(key, held, 0)
    const now_ms = yield* Clock.currentTimeMillis
    return isShared && held.block !== undefined
      ? takeToken(wholeOf(held.block, options, now_ms), options, now_ms)
      : takeToken(held.alone, aloneOptions(options), now_ms)
  })

  return { take, peek } satisfies RequestLimit
})
