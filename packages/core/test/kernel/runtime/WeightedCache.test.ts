// Tests of the cache of bounded number and weight.
import { weightedCache } from "@tentpole/core/kernel/runtime/WeightedCache"
import { assert, describe, it } from "@effect/vitest"
import { Cache, Duration, Effect } from "effect"

interface Key {
  readonly name: string
  readonly weight: number
}

const looked = Effect.fnUntraced(function* (options: { readonly weight_max: number; readonly capacity: number }) {
  const lookups: Array<string> = []
  const cache = yield* weightedCache({
    lookup: ({ name, weight }: Key) => Effect.sync(() => (lookups.push(name), weight)),
    weigh: (weight) => weight,
    timeToLive: Duration.minutes(1),
    ...options,
  })
  const get = (name: string, weight = 1) => Cache.get(cache, { name, weight })
  return { get, lookups }
})

describe("The weighted cache", () => {
  it.effect("evicts the oldest entries until the others are light enough", () =>
    Effect.gen(function* () {
      const { get, lookups } = yield* looked({ weight_max: 10, capacity: 10 })
      for (const name of ["a", "b", "c"]) yield* get(name, 4)
      yield* get("b", 4)
      yield* get("c", 4)
      assert.deepStrictEqual(lookups, ["a", "b", "c"])
      yield* get("a", 4)
      assert.deepStrictEqual(lookups, ["a", "b", "c", "a"])
    }),
  )

  it.effect("stores an entry that is too heavy, alone", () =>
    Effect.gen(function* () {
      const { get, lookups } = yield* looked({ weight_max: 10, capacity: 10 })
      yield* get("light")
      yield* get("heavy", 20)
      yield* get("heavy", 20)
      yield* get("light")
      assert.deepStrictEqual(lookups, ["light", "heavy", "light"])
    }),
  )

  it.effect("holds no more entries than its capacity", () =>
    Effect.gen(function* () {
      const { get, lookups } = yield* looked({ weight_max: 100, capacity: 2 })
      for (const name of ["a", "b", "c", "c", "b", "a"]) yield* get(name)
      assert.deepStrictEqual(lookups, ["a", "b", "c", "a"])
    }),
  )
})
