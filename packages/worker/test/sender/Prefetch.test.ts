// Tests of Prefetch: the number of prefetched messages, their order, errors of rendering, and their maximum age.
import { NotRendered } from "@tentpole/core/sending/OutgoingMail"
import { prefetch, fresh_ms } from "@tentpole/worker/sender/Prefetch"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { itemsOf } from "../fixtures/Items.ts"

/** Waits until every fiber that can continue has continued. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

/** Deliveries in order; the third one can't be rendered. Messages have this many bytes. */
const beginWith = Effect.fnUntraced(function* (
  size_bytes: number,
  connections_max = 4,
  before: Effect.Effect<void> = Effect.void,
) {
  const items = itemsOf(1, 20)
  const line = yield* Queue.unbounded<(typeof items)[number]>()
  yield* Queue.offerAll(line, items)
  const rendered: Array<number> = []
  const { poll, renderers } = yield* prefetch({
    connections_max,
    next: Queue.take(line),
    offered: Effect.void,
    render: (_, { id }) =>
      Effect.suspend(() => {
        const at = items.findIndex(({ claimed }) => claimed.id === id)
        rendered.push(at)
        const message = {
          envelope: { from: "news@shop.test", to: "ann@example.test" },
          bytes: new Uint8Array(size_bytes).fill(at),
          release: Effect.void,
        }
        const why = new NotRendered({ reason: "not_rendered", why: "it is the third" })
        return Effect.andThen(before, at === 2 ? Effect.fail(why) : Effect.succeed(message))
      }),
  })
  const take = Effect.flatMap(poll, (ready) => {
    assert(ready !== undefined, "a message is ready")
    const { end, item, message } = ready
    return Effect.map(Effect.result(message), (result) => ({ id: item.claimed.id, result, end }))
  })
  yield* settled
  return { items, line, rendered, renderers, take }
})
const begin = beginWith(1)

describe("Prefetch", () => {
  it.effect("prepares half as many messages as there are connections, and renders as many concurrently", () =>
    Effect.gen(function* () {
      const { line, rendered, take } = yield* begin
      assert.deepStrictEqual(rendered, [0, 1, 2, 3])
      assert.strictEqual(yield* Queue.size(line), 16)
      yield* take
      yield* settled
      assert.deepStrictEqual(rendered, [0, 1, 2, 3, 4])
    }),
  )

  it.effect("returns messages in order, and the error of one that can't be rendered", () =>
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

  it.effect("renders an old message again", () =>
    Effect.gen(function* () {
      const { rendered, take } = yield* begin
      yield* TestClock.adjust(fresh_ms - 1)
      yield* take
      assert.deepStrictEqual(rendered, [0, 1, 2, 3])
      yield* TestClock.adjust(1)
      yield* take
      assert.deepStrictEqual(rendered, [0, 1, 2, 3, 4, 1])
    }),
  )

  it.effect("renders no more messages than fit into memory, but always one", () =>
    Effect.gen(function* () {
      const { rendered, take } = yield* beginWith(7_000_000)
      assert.deepStrictEqual(rendered, [0, 1])
      const first = yield* take
      yield* settled
      assert.deepStrictEqual(rendered, [0, 1])
      yield* first.end
      yield* settled
      // The third has no message, so that the fourth fits.
      assert.deepStrictEqual(rendered, [0, 1, 2, 3])
      const large = yield* beginWith(20_000_000)
      assert.deepStrictEqual(large.rendered, [0])
      yield* (yield* large.take).end
      yield* settled
      assert.deepStrictEqual(large.rendered, [0, 1])
    }),
  )

  it.effect("begins two messages while the size of none is known", () =>
    Effect.gen(function* () {
      const { rendered } = yield* beginWith(1, 20, Effect.never)
      assert.deepStrictEqual(rendered, [0, 1])
    }),
  )

  it.effect("takes no delivery after its end", () =>
    Effect.gen(function* () {
      const { line, renderers, take } = yield* begin
      yield* Fiber.interruptAll(renderers)
      yield* take
      yield* settled
      assert.strictEqual(yield* Queue.size(line), 16)
    }),
  )
})
