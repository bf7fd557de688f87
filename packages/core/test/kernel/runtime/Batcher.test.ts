// Tests of batched requests and writes on a test clock.
import { batchRequests, batchWrites, joinRequests } from "@tentpole/core/kernel/runtime/Batcher"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch, Result, Scope } from "effect"
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

/** Batches that answer each request with itself while the latch is open, refuse "no" and die of "die". The first one, of "a", runs. */
const beginJoining = Effect.fnUntraced(function* () {
  const batches: Array<string> = []
  const go = yield* Latch.make(false)
  const join = yield* joinRequests<string, string, string, string>({ batch_max: 3, concurrency: 1 }, (key, batch) => {
    batches.push(`${key}:${batch.join(" ")}`)
    return Effect.andThen(
      go.await,
      batch.includes("die")
        ? Effect.die("died")
        : Effect.succeed(batch.map((each) => (each === "no" ? Result.fail("refused") : Result.succeed(each)))),
    )
  })
  const joinAll = (key: string, requests: ReadonlyArray<string>) =>
    Effect.forEach(requests, (request) => Effect.forkChild(Effect.exit(join(key, request)), { startImmediately: true }))
  const first = yield* joinAll("k", ["a"])
  yield* TestClock.adjust(1)
  return { batches, first, go, joinAll }
})

describe("joinRequests", () => {
  it.effect("starts a request at once, and joins those of its key that come meanwhile", () =>
    Effect.gen(function* () {
      const { batches, first, go, joinAll } = yield* beginJoining()
      const later = [...(yield* joinAll("k", ["b", "no", "c", "d"])), ...(yield* joinAll("other", ["e"]))]
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(batches, ["k:a", "other:e"])
      yield* go.open
      assert.deepStrictEqual(yield* Effect.forEach([...first, ...later], Fiber.join), [
        Exit.succeed("a"),
        Exit.succeed("b"),
        Exit.fail("refused"),
        Exit.succeed("c"),
        Exit.succeed("d"),
        Exit.succeed("e"),
      ])
      assert.deepStrictEqual(batches, ["k:a", "other:e", "k:b no c", "k:d"])
    }),
  )

  it.effect("runs the requests of a batch that died alone", () =>
    Effect.gen(function* () {
      const { batches, go, joinAll } = yield* beginJoining()
      const later = yield* joinAll("k", ["b", "die", "no"])
      yield* go.open
      assert.deepStrictEqual(yield* Effect.forEach(later, Fiber.join), [
        Exit.succeed("b"),
        Exit.die("died"),
        Exit.fail("refused"),
      ])
      assert.deepStrictEqual(batches, ["k:a", "k:b die no", "k:b", "k:die", "k:no"])
    }),
  )

  it.effect("withdraws a request whose caller is interrupted before its batch starts", () =>
    Effect.gen(function* () {
      const { batches, first, go, joinAll } = yield* beginJoining()
      const [withdrawn, ...kept] = yield* joinAll("k", ["b", "c"])
      assert(withdrawn !== undefined)
      yield* Fiber.interruptAll([...first, withdrawn])
      yield* go.open
      assert.deepStrictEqual(yield* Effect.forEach(kept, Fiber.join), [Exit.succeed("c")])
      assert.deepStrictEqual(batches, ["k:a", "k:c"])
    }),
  )

  it.effect("interrupts the requests that are left when its scope ends", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { first, joinAll } = yield* Scope.provide(beginJoining(), scope)
      const waiting = yield* joinAll("k", ["b"])
      yield* TestClock.adjust(1)
      yield* Scope.close(scope, Exit.void)
      const exits = yield* Effect.forEach([...first, ...waiting], Fiber.join)
      assert.deepStrictEqual(exits.map(Exit.hasInterrupts), [true, true])
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
