// Messages that are made before a connection is free for them: so many and no more, told as they were made, and never stale.
import { NotRendered } from "@tentpole/core/sending/OutgoingMail"
import { prefetch, fresh_ms } from "@tentpole/worker/sender/Prefetch"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { itemsOf } from "../fixtures/Items.ts"

/** Whoever can go on has gone on. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

/** Items one after the other, for four connections; the third one's message can't be made. */
const begin = Effect.gen(function* () {
  const items = itemsOf(1, 20)
  const line = yield* Queue.unbounded<(typeof items)[number]>()
  yield* Queue.offerAll(line, items)
  const made: Array<number> = []
  const { renderers, next } = yield* prefetch({
    connections_max: 4,
    next: Queue.take(line),
    render: (_, { id }) =>
      Effect.suspend(() => {
        const at = items.findIndex(({ claimed }) => claimed.id === id)
        made.push(at)
        return at === 2
          ? Effect.fail(new NotRendered({ why: "it is the third" }))
          : Effect.succeed({
              envelope: { from: "news@shop.test", to: "ann@example.test" },
              bytes: new Uint8Array([at]),
              release: Effect.void,
            })
      }),
  })
  const take = Effect.flatMap(next, ({ item, message }) =>
    Effect.map(Effect.result(message), (result) => ({ id: item.claimed.id, result })),
  )
  yield* settled
  return { items, line, made, renderers, take }
})

describe("messages made ahead", () => {
  it.effect("half as many as there are connections lie ready, and as many wait to join them", () =>
    Effect.gen(function* () {
      const { line, made, take } = yield* begin
      assert.deepStrictEqual(made, [0, 1, 2, 3])
      assert.strictEqual(yield* Queue.size(line), 16)
      yield* take
      yield* settled
      assert.deepStrictEqual(made, [0, 1, 2, 3, 4])
    }),
  )

  it.effect("each is taken in its turn, and one that can't be made says so to who takes it", () =>
    Effect.gen(function* () {
      const { items, take } = yield* begin
      const taken = yield* Effect.all([take, take, take, take])
      assert.deepStrictEqual(
        taken.map(({ id }) => id),
        items.slice(0, 4).map(({ claimed }) => claimed.id),
      )
      assert.deepStrictEqual(
        taken.map(({ result }) => (result._tag === "Success" ? result.success.bytes[0] : result.failure._tag)),
        [0, 1, "NotRendered", 3],
      )
    }),
  )

  it.effect("what has lain for long is made once more", () =>
    Effect.gen(function* () {
      const { made, take } = yield* begin
      yield* TestClock.adjust(fresh_ms - 1)
      yield* take
      assert.deepStrictEqual(made, [0, 1, 2, 3])
      yield* TestClock.adjust(1)
      yield* take
      assert.deepStrictEqual(made, [0, 1, 2, 3, 4, 1])
    }),
  )

  it.effect("renderers that were ended take nothing more", () =>
    Effect.gen(function* () {
      const { line, renderers, take } = yield* begin
      yield* Fiber.interruptAll(renderers)
      yield* take
      yield* settled
      assert.strictEqual(yield* Queue.size(line), 16)
    }),
  )
})
