// Tests of batched requests and writes on a test clock.
import { batchRequests, batchWrites } from "@tentpole/core/kernel/runtime/Batcher"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"

/** Batches that return their own size while the latch is open. */
const begin = Effect.fnUntraced(function* (concurrency = 1) {
  const sizes: Array<number> = []
  const go = yield* Latch.make(true)
  const ask = yield* batchRequests<string, number>({ linger_ms: 2, batch_max: 4, concurrency }, (batch) => {
    sizes.push(batch.length)
    return Effect.as(go.await, () => batch.length)
  })
  return { ask, go, sizes }
})

describe("batchRequests", () => {
  it.effect("holds a single request for linger_ms", () =>
    Effect.gen(function* () {
      const { ask, sizes } = yield* begin()
      const alone = yield* Effect.forkChild(ask("alone"))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(sizes, [])
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(alone), 1)
    }),
  )

  it.effect("runs half a batch at once", () =>
    Effect.gen(function* () {
      const { ask } = yield* begin()
      assert.deepStrictEqual(yield* Effect.all([ask("a"), ask("b")], { concurrency: "unbounded" }), [2, 2])
    }),
  )

  it.effect("collects requests during a batch in the next one, up to batch_max", () =>
    Effect.gen(function* () {
      const { ask, go, sizes } = yield* begin()
      const askers = (count: number) =>
        Effect.all(
          Array.from({ length: count }, (_, nth) => ask(`${nth}`)),
          { concurrency: "unbounded" },
        )
      yield* go.close
      const first = yield* Effect.forkChild(askers(2))
      yield* TestClock.adjust(2)
      const later = yield* Effect.forkChild(askers(7))
      yield* TestClock.adjust(2)
      assert.deepStrictEqual(sizes, [2])
      yield* go.open
      assert.deepStrictEqual(yield* Fiber.join(first), [2, 2])
      assert.deepStrictEqual((yield* Fiber.join(later)).toSorted(), [3, 3, 3, 4, 4, 4, 4])
      assert.deepStrictEqual(sizes, [2, 4, 3])
    }),
  )

  it.effect("runs at most `concurrency` batches at the same time", () =>
    Effect.gen(function* () {
      const { ask, go, sizes } = yield* begin(2)
      yield* go.close
      const askers = yield* Effect.forEach([1, 2, 3], (nth) =>
        Effect.forkChild(ask(`${nth}`)).pipe(Effect.tap(TestClock.adjust(2))),
      )
      assert.deepStrictEqual(sizes, [1, 1])
      yield* go.open
      yield* TestClock.adjust(2)
      assert.deepStrictEqual(yield* Effect.forEach(askers, Fiber.join), [1, 1, 1])
      assert.deepStrictEqual(sizes, [1, 1, 1])
    }),
  )
})

describe("batchWrites", () => {
  it.effect("writes a few items after linger_ms, and half a batch at once", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const { add, drained } = yield* batchWrites<string>({ linger_ms: 40, batch_max: 4 }, (batch) =>
        Effect.sync(() => void sizes.push(batch.length)),
      )
      add("a")
      yield* TestClock.adjust(39)
      assert.deepStrictEqual(sizes, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(sizes, [1])
      for (const item of ["b", "c", "d"]) add(item)
      yield* drained
      assert.deepStrictEqual(sizes, [1, 3])
      add("e")
      yield* TestClock.adjust(39)
      assert.deepStrictEqual(sizes, [1, 3])
    }),
  )

  it.effect("refuses items beyond waiting_max and counts what is unwritten after a drain", () =>
    Effect.gen(function* () {
      const go = yield* Latch.make(false)
      const { add, drain } = yield* batchWrites<string>(
        { linger_ms: 1_000, batch_max: 4, waiting_max: 2 },
        () => go.await,
      )
      assert.deepStrictEqual([add("a"), add("b"), add("c")], [true, true, false])
      const draining = yield* Effect.forkChild(drain("1 second"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(draining), 2)
      yield* go.open
      assert.strictEqual(yield* drain("1 second"), 0)
    }),
  )
})
