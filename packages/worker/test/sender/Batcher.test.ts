// Work that is done in waves: who waits for whom, and how long.
import { waves, writer } from "@tentpole/worker/sender/Batcher"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"

/** Waves that answer with their own size, each when it is let go. */
const begin = Effect.fnUntraced(function* (waves_max = 1) {
  const sizes: Array<number> = []
  const go = yield* Latch.make(true)
  const { ask } = yield* waves<string, number>({ gather_ms: 2, wave_max: 4, waves_max }, (wave) => {
    sizes.push(wave.length)
    return Effect.as(go.await, () => wave.length)
  })
  return { ask, go, sizes }
})

describe("waves", () => {
  it.effect("one who asks alone waits a moment for others, and no longer", () =>
    Effect.gen(function* () {
      const { ask, sizes } = yield* begin()
      const alone = yield* Effect.forkChild(ask("alone"))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(sizes, [])
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(alone), 1)
    }),
  )

  it.effect("half of those who might come wait for nobody", () =>
    Effect.gen(function* () {
      const { ask } = yield* begin()
      assert.deepStrictEqual(yield* Effect.all([ask("a"), ask("b")], { concurrency: "unbounded" }), [2, 2])
    }),
  )

  it.effect("who comes while a wave is under way is in the next, as many as it takes", () =>
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

  it.effect("two may be under way, and no third", () =>
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

describe("what is written in waves", () => {
  it.effect("a few wait for their time, and half of a wave is written at once", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const { drained, tell } = yield* writer<string>({ gather_ms: 40, wave_max: 4 }, (wave) =>
        Effect.sync(() => void sizes.push(wave.length)),
      )
      tell("a")
      yield* TestClock.adjust(39)
      assert.deepStrictEqual(sizes, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(sizes, [1])
      for (const news of ["b", "c", "d"]) tell(news)
      yield* drained
      assert.deepStrictEqual(sizes, [1, 3])
      tell("e")
      yield* TestClock.adjust(39)
      assert.deepStrictEqual(sizes, [1, 3])
    }),
  )
})
