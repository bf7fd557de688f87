// Tests of FairQueue: claimed deliveries are served in turns, and a new workspace always finds space.
import { FairQueue } from "@tentpole/worker/sender/FairQueue"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { itemsOf, workspaceOf } from "../fixtures/Items.ts"

const options = { claim_batch_max: 500, connections_max: 16 }

/** Claims for a workspace with unlimited deliveries whenever there is space. */
const fill = (lines: FairQueue, number: number): number => {
  let added = 0
  for (;;) {
    const room = Math.min(options.claim_batch_max, lines.roomFor(workspaceOf(number)))
    const { except, full } = lines.capacity(0)
    if (full || room === 0 || except.includes(workspaceOf(number))) return added
    lines.offer(workspaceOf(number), itemsOf(number, room))
    added += room
  }
}

describe("FairQueue", () => {
  it.effect("serves workspaces in turns, each in its order", () =>
    Effect.gen(function* () {
      const lines = new FairQueue(options)
      lines.offer(workspaceOf(1), itemsOf(1, 3))
      lines.offer(workspaceOf(2), itemsOf(2, 2))
      lines.offer(workspaceOf(1), itemsOf(1, 1))
      const order: Array<WorkspaceId> = []
      for (let nth = 0; nth < 6; nth++) order.push((yield* lines.take).workspace)
      assert.deepStrictEqual(order, [1, 2, 1, 2, 1, 1].map(workspaceOf))
    }),
  )

  it.effect("take waits for the next delivery while all queues are empty", () =>
    Effect.gen(function* () {
      const lines = new FairQueue(options)
      const takers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(lines.take))
      yield* Effect.yieldNow
      lines.offer(workspaceOf(1), itemsOf(1, 2))
      lines.offer(workspaceOf(2), itemsOf(2, 1))
      const taken = yield* Effect.forEach(takers, (taker) => Fiber.join(taker))
      assert.strictEqual(new Set(taken.map(({ claimed }) => claimed.id)).size, 3)
    }),
  )

  it.prop(
    "leaves space for a new workspace until twice as many deliveries wait as there are connections",
    { count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })) },
    ({ count }) => {
      const lines = new FairQueue(options)
      let waiting = 0
      for (let number = 1; number <= count; number++) {
        const added = fill(lines, number)
        assert.isAtLeast(added, 1)
        waiting += added
      }
      assert.isAtMost(waiting, 2 * options.connections_max)
    },
  )

  it.effect("holds what the connections took in a second, and at most two claims", () =>
    Effect.gen(function* () {
      for (const [perSecond, most] of [
        [40, 40],
        [400, 400],
        [100_000, 2 * options.claim_batch_max],
      ] as const) {
        const lines = new FairQueue(options)
        for (let nth = 0; nth < perSecond / 4; nth++) {
          lines.offer(workspaceOf(1), itemsOf(1, 1))
          yield* lines.take
        }
        lines.capacity(250)
        assert.strictEqual(lines.roomFor(workspaceOf(1)), Math.floor(most / 2))
      }
    }),
  )

  it.effect("grows when connections had to wait", () =>
    Effect.gen(function* () {
      const lines = new FairQueue(options)
      lines.offer(workspaceOf(1), itemsOf(1, 10))
      for (let nth = 0; nth < 10; nth++) yield* lines.take
      const waiting = yield* Effect.forkChild(lines.take)
      yield* Effect.yieldNow
      lines.capacity(250)
      assert.strictEqual(lines.roomFor(workspaceOf(1)), 80)
      lines.offer(workspaceOf(1), itemsOf(1, 1))
      yield* Fiber.join(waiting)
    }),
  )

  it.effect("doubles with each claim while claims are slow", () =>
    Effect.gen(function* () {
      const lines = new FairQueue(options)
      const rooms: Array<number> = []
      for (const at_ms of [0, 3000, 6000, 9000, 12_000, 15_000, 18_000]) {
        lines.capacity(at_ms)
        const room = lines.roomFor(workspaceOf(1))
        rooms.push(room)
        lines.offer(workspaceOf(1), itemsOf(1, room))
        for (let nth = 0; nth < room; nth++) yield* lines.take
        const hungry = yield* Effect.forkChild(lines.take)
        yield* Effect.yieldNow
        yield* Fiber.interrupt(hungry)
      }
      assert.deepStrictEqual(rooms, [16, 32, 64, 128, 256, 500, 500])
    }),
  )

  it.effect("refills a queue when it can be doubled, and not before", () =>
    Effect.gen(function* () {
      const lines = new FairQueue(options)
      const added = fill(lines, 1)
      const look = lines.capacity(0)
      assert.deepStrictEqual(look, { full: false, except: [workspaceOf(1)] })
      const hungry = yield* Effect.forkChild(lines.needsMore)
      yield* Effect.yieldNow
      for (let left = added; lines.roomFor(workspaceOf(1)) < left; left--) {
        assert.isUndefined(hungry.pollUnsafe())
        yield* lines.take
        yield* Effect.yieldNow
      }
      yield* Fiber.join(hungry)
    }),
  )

  it("has no space when the waiting contacts exceed the weight limit", () => {
    const lines = new FairQueue(options)
    lines.offer(workspaceOf(1), itemsOf(1, 4, "x".repeat(5_000_000)))
    assert.isTrue(lines.capacity(0).full)
    assert.strictEqual(lines.roomFor(workspaceOf(2)), 0)
  })
})
