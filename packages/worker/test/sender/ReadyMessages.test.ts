// Tests of ReadyMessages: what a connection takes next, and what it takes along.
import type { PreparedMessage } from "@tentpole/worker/sender/Prefetch"
import { ReadyMessages } from "@tentpole/worker/sender/ReadyMessages"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { itemsOf } from "../fixtures/Items.ts"

/** Ready messages, and what was taken of them: singles are `s1`, `s2`, …, deliveries `d1`, `d2`, …. */
const begin = Effect.fnUntraced(function* (singles_count: number, deliveries_count: number) {
  const names = new Map<PreparedMessage, string>()
  const lineOf = (letter: string, number: number, count: number) =>
    itemsOf(number, count).map((item, at): PreparedMessage => {
      const ready = { item, message: Effect.die("not rendered"), envelope: undefined, end: Effect.void }
      names.set(ready, `${letter}${at + 1}`)
      return ready
    })
  const singles = lineOf("s", 1, singles_count)
  const deliveries = lineOf("d", 2, deliveries_count)
  const ready = new ReadyMessages({
    messages: Effect.sync(() => singles.shift()),
    deliveries: Effect.sync(() => deliveries.shift()),
  })
  yield* Effect.replicateEffect(ready.messageOffered, singles_count)
  yield* Effect.replicateEffect(ready.deliveryOffered, deliveries_count)
  const named = Effect.map((taken: PreparedMessage | undefined) => taken && names.get(taken))
  return {
    use: ready.use(true),
    next: named(ready.next),
    following: named(ready.following),
    followingKept: named(ready.followingKept),
  }
})

describe("ReadyMessages", () => {
  it.effect("nothing follows a message while a single message is ready, so that this one goes first", () =>
    Effect.gen(function* () {
      const { following, next } = yield* begin(2, 2)
      assert.isUndefined(yield* following)
      assert.strictEqual(yield* next, "s1")
      assert.isUndefined(yield* following)
      assert.strictEqual(yield* next, "s2")
      assert.strictEqual(yield* following, "d1")
      assert.strictEqual(yield* next, "d2")
      assert.isUndefined(yield* following)
    }),
  )

  it.effect("nothing follows on a kept connection once single messages are in use", () =>
    Effect.gen(function* () {
      const { followingKept, use } = yield* begin(0, 2)
      assert.strictEqual(yield* followingKept, "d1")
      yield* use
      assert.isUndefined(yield* followingKept)
    }),
  )
})
