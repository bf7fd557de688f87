// Contract tests of shared token buckets, and of limits over them.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Ids } from "../../src/kernel/Ids.ts"
import { type RequestLimit, requestLimit } from "../../src/kernel/runtime/RequestLimit.ts"
import { type Bucket, takeBlock } from "../../src/kernel/runtime/TokenBucket.ts"
import { TokenBucketStore } from "../../src/kernel/runtime/TokenBucketStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"

/** Refills nothing while a test runs. */
const still = { capacity: 100, per_second: 1e-9 }

const begin = Effect.gen(function* () {
  const store = yield* TokenBucketStore
  const [limit = ""] = yield* (yield* Ids).many(1)
  const take = (key: string, wanted: number, returned = 0, options = still) =>
    Effect.map(store.takeBlock({ limit, key }, { wanted, returned }, options), ({ bucket, taken }) => [
      taken,
      Math.round(bucket.tokens * 1000) / 1000,
    ])
  return { limit, store, take }
})

const accepted = (limits: ReadonlyArray<RequestLimit>, requests: number) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: requests }, (_, each) => limits[each % limits.length]),
      (process) => process?.take("key") ?? Effect.die("no process"),
      { concurrency: 40 },
    ),
    (all) => all.filter(({ allowed }) => allowed).length,
  )

export const tokenBuckets = <E>(name: string, live: Layer.Layer<TokenBucketStore | Ids | Transactor, E>) =>
  layer(live, { excludeTestServices: true })(`TokenBucketStore (${name})`, (it) => {
    it.effect("gives what the pure rule gives", () =>
      Effect.gen(function* () {
        const { limit, store } = yield* begin
        let bucket: Bucket | undefined
        const requests = [
          [30, 0],
          [0, 10],
          [60, 0],
          [60, 0],
          [5, 0],
          [1, 3],
          [0, 500],
          [101, 0],
        ] as const
        for (const [wanted, returned] of requests) {
          const expected = takeBlock(bucket, { wanted, returned }, still, 0)
          bucket = expected.bucket
          const given = yield* store.takeBlock({ limit, key: "a" }, { wanted, returned }, still)
          assert.strictEqual(given.taken, expected.taken)
          assert.closeTo(given.bucket.tokens, expected.bucket.tokens, 1e-3)
        }
      }),
    )

    it.effect("gives each key of each limit its own bucket", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* begin, yield* begin]
        assert.deepStrictEqual(yield* one.take("a", 100), [100, 0])
        assert.deepStrictEqual(yield* one.take("b", 1), [1, 99])
        assert.deepStrictEqual(yield* other.take("a", 1), [1, 99])
        assert.deepStrictEqual(yield* one.take("a", 1), [0, 0])
      }),
    )

    it.effect("gives each token once to concurrent processes", () =>
      Effect.gen(function* () {
        const { take } = yield* begin
        const all = yield* Effect.forEach(Array.from({ length: 60 }), () => take("a", 3), { concurrency: "unbounded" })
        assert.strictEqual(
          all.reduce((sum, [taken = 0]) => sum + taken, 0),
          100,
        )
      }),
    )

    it.effect("refills by the time that passes, up to the capacity", () =>
      Effect.gen(function* () {
        const { take } = yield* begin
        const quick = { capacity: 2, per_second: 1_000 }
        assert.strictEqual((yield* take("a", 2, 0, quick))[0], 2)
        yield* Effect.sleep("100 millis")
        assert.deepStrictEqual(yield* take("a", 5, 0, quick), [2, 0])
      }),
    )

    it.effect("allows two processes together what it allows one", () =>
      Effect.gen(function* () {
        const { limit } = yield* begin
        const options = { ...still, limit, keys_max: 10 }
        const one = yield* requestLimit(options)
        const two = yield* requestLimit(options)
        assert.strictEqual(yield* accepted([one, two], 300), still.capacity)
        const late = yield* requestLimit(options)
        assert.strictEqual(yield* accepted([late], 10), 0)
      }),
    )

    it.effect("counts requests of a transaction that fails", () =>
      Effect.gen(function* () {
        const { limit } = yield* begin
        const { transact } = yield* Transactor
        const { take } = yield* requestLimit({ capacity: 1, per_second: 1e-9, limit, keys_max: 10 })
        yield* Effect.exit(transact(Effect.andThen(take("a"), Effect.fail("no"))))
        const other = yield* requestLimit({ capacity: 1, per_second: 1e-9, limit, keys_max: 10 })
        assert.isFalse((yield* other.take("a")).allowed)
      }),
    )

    it.effect("counts nothing when a limit is only read", () =>
      Effect.gen(function* () {
        const { limit } = yield* begin
        const { peek, take } = yield* requestLimit({ capacity: 2, per_second: 1e-9, limit, keys_max: 10 })
        const seen = []
        for (let each = 0; each < 3; each++) {
          for (let again = 0; again < 3; again++) seen.push((yield* peek("a")).allowed)
          yield* take("a")
        }
        assert.deepStrictEqual(seen, [true, true, true, true, true, true, false, false, false])
      }),
    )
  })
