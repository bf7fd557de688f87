// Tests of the limit that serves its keys in turn.
import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { FairLimit, waiting_max, waiting_share_max } from "@tentpole/core/kernel/runtime/FairLimit"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"

const of = { items: "documents", part: "parser" }

/** Effects that run until they are ended, and the order in which they began. */
const desk = (concurrency_max: number, share_max = concurrency_max) => {
  const limit = new FairLimit<string>({ concurrency_max, share_max, of })
  const began: Array<string> = []
  const begin = (key: string) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      const running = Effect.andThen(
        Effect.sync(() => began.push(key)),
        Deferred.await(end),
      )
      const fiber = yield* Effect.forkChild(limit.run(key, running), { startImmediately: true })
      return { fiber, end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.await(fiber)) }
    })
  return { begin, began }
}

const refusalOf = (exit: Exit.Exit<unknown>): string => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  return error instanceof Unavailable ? error.message : assert.fail("it was not refused")
}

describe("FairLimit", () => {
  it.effect("runs as many effects as the limit allows, also of one key", () =>
    Effect.gen(function* () {
      const { began, begin } = desk(2)
      yield* Effect.forEach(["a", "a", "a"], begin)
      assert.deepStrictEqual(began, ["a", "a"])
    }),
  )

  it.effect("serves the keys in turn, whatever their numbers of waiting effects are", () =>
    Effect.gen(function* () {
      const { began, begin } = desk(1)
      const waiting = yield* Effect.forEach(["a", "a", "a", "a", "b", "c", "b"], begin)
      // One runs at a time, so ending all in any order ends each when it has begun.
      yield* Effect.forEach(waiting, ({ end }) => end, { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(began, ["a", "a", "b", "c", "a", "b", "a"])
    }),
  )

  it.effect("leaves the rest of the limit to others when a key fills its share", () =>
    Effect.gen(function* () {
      const { began, begin } = desk(3, 2)
      const [first] = yield* Effect.forEach(["a", "a", "a"], begin)
      assert.deepStrictEqual(began, ["a", "a"])
      const other = yield* begin("b")
      yield* begin("b")
      assert.deepStrictEqual(began, ["a", "a", "b"], "the limit is three")
      yield* other.end
      assert.deepStrictEqual(began, ["a", "a", "b", "b"], "not the third of the full key")
      yield* first?.end ?? Effect.void
      assert.deepStrictEqual(began, ["a", "a", "b", "b", "a"])
    }),
  )

  it.effect("gives the turn of an interrupted effect to the next one", () =>
    Effect.gen(function* () {
      const { began, begin } = desk(1)
      const first = yield* begin("a")
      const waiting = yield* begin("b")
      yield* begin("c")
      yield* Fiber.interrupt(waiting.fiber)
      yield* first.end
      assert.deepStrictEqual(began, ["a", "c"])
    }),
  )

  it.effect("refuses an effect when the queue of its key is full, but not one of another key", () =>
    Effect.gen(function* () {
      const { began, begin } = desk(1)
      const running = yield* begin("a")
      const [waiting] = yield* Effect.replicateEffect(begin("a"), waiting_share_max)
      const refused = yield* begin("a")
      assert.strictEqual(
        refusalOf(yield* Fiber.await(refused.fiber)),
        "Too many documents of this workspace wait. Try again in a few seconds",
      )
      yield* begin("b")
      yield* Fiber.interrupt(waiting?.fiber ?? refused.fiber)
      const accepted = yield* begin("a")
      yield* running.end
      assert.deepStrictEqual(began, ["a", "a"])
      assert.isUndefined(accepted.fiber.pollUnsafe())
    }),
  )

  it.effect("refuses every effect that would wait when all queues together are full", () =>
    Effect.gen(function* () {
      const { begin } = desk(1)
      for (let at = 0; at <= waiting_max; at++) yield* begin(`key ${at}`)
      const refused = yield* begin("another key")
      assert.strictEqual(
        refusalOf(yield* Fiber.await(refused.fiber)),
        "Too many documents wait. Try again in a few seconds",
      )
    }),
  )

  it.effect("frees the place of an effect that fails or is interrupted", () =>
    Effect.gen(function* () {
      const limit = new FairLimit<string>({ concurrency_max: 1, of })
      yield* Effect.exit(limit.run("a", Effect.die("broken")))
      const endless = yield* Effect.forkChild(limit.run("a", Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(endless)
      assert.strictEqual(yield* limit.run("b", Effect.succeed(1)), 1)
    }),
  )
})
