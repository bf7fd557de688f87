// A cache of values that are looked up, of bounded number and weight: the oldest entries are evicted.
import { Cache, Duration, Effect, Equal, Exit } from "effect"

export interface WeightedCacheOptions<Key, A, E, R> {
  readonly lookup: (key: Key) => Effect.Effect<A, E, R>
  readonly weigh: (value: A) => number
  /** Of all entries together. A single entry may weigh more. */
  readonly weight_max: number
  readonly capacity: number
  /** Failures are not cached. */
  readonly timeToLive: Duration.Duration
}

/** Keys are compared by value. */
export const weightedCache = Effect.fnUntraced(function* <Key, A, E, R>(options: WeightedCacheOptions<Key, A, E, R>) {
  const { capacity, lookup, timeToLive, weigh, weight_max } = options
  /** In the order of their lookups. */
  let entries: ReadonlyArray<{ readonly key: Key; readonly weight: number }> = []

  /** Returns the keys to evict. */
  const add = (key: Key, value: A): ReadonlyArray<Key> => {
    const all = [...entries.filter((each) => !Equal.equals(each.key, key)), { key, weight: weigh(value) }]
    let weight = all.reduce((sum, each) => sum + each.weight, 0)
    let oldest = 0
    while (oldest < all.length - 1 && (weight > weight_max || all.length - oldest > capacity)) {
      weight -= all[oldest++]?.weight ?? 0
    }
    entries = all.slice(oldest)
    return all.slice(0, oldest).map((each) => each.key)
  }

  const cache: Cache.Cache<Key, A, E, R> = yield* Cache.makeWith(
    (key: Key) =>
      Effect.tap(lookup(key), (value) =>
        Effect.forEach(add(key, value), (each) => Cache.invalidate(cache, each), { discard: true }),
      ),
    { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? timeToLive : Duration.zero) },
  )
  return cache
})
