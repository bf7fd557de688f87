// Tests of the watch: a loop ends its wait for its own kinds only, one look serves all, and a failed look delays, but ends nothing.
import { DueWork, type WorkKind } from "@tentpole/core/kernel/changes/DueWork"
import * as DueWatch from "@tentpole/worker/DueWatch"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

/** A watch that looks each second, what is due, and what it asked. */
const watched = <E>(
  test: (world: {
    readonly asked: ReadonlyArray<ReadonlyArray<WorkKind>>
    readonly due: Set<WorkKind>
    readonly fail: (times: number) => void
    readonly wait: (...kinds: ReadonlyArray<WorkKind>) => Effect.Effect<Fiber.Fiber<void>>
    readonly second: Effect.Effect<void>
  }) => Effect.Effect<void, E>,
) =>
  Effect.suspend(() => {
    const asked: Array<ReadonlyArray<WorkKind>> = []
    const due = new Set<WorkKind>()
    let failures = 0
    const among = (kinds: ReadonlyArray<WorkKind>) =>
      Effect.suspend(() => {
        if (failures-- > 0) return Effect.die("the database is away")
        asked.push(kinds.toSorted())
        return Effect.succeed(kinds.filter((kind) => due.has(kind)))
      })
    const world = Effect.gen(function* () {
      const watch = yield* DueWatch.DueWatch
      yield* test({
        asked,
        due,
        fail: (times) => (failures = times),
        wait: (...kinds) => Effect.forkChild(watch.await(kinds), { startImmediately: true }),
        second: TestClock.adjust("1 second"),
      })
    })
    return Effect.provide(world, Layer.provide(DueWatch.layer(1_000), Layer.succeed(DueWork, { among })))
  })

const isOver = (fiber: Fiber.Fiber<void>) => fiber.pollUnsafe() !== undefined

describe("DueWatch", () => {
  it.effect("ends the waits for kinds that may have work, and looks for all at once", () =>
    watched(({ asked, due, second, wait }) =>
      Effect.gen(function* () {
        const [flows, jobs, both] = [
          yield* wait("flows", "flow_dates"),
          yield* wait("jobs"),
          yield* wait("jobs", "blasts"),
        ]
        yield* second
        assert.deepStrictEqual(asked, [["blasts", "flow_dates", "flows", "jobs"]])
        assert.deepStrictEqual([flows, jobs, both].map(isOver), [false, false, false])
        due.add("jobs")
        yield* second
        assert.deepStrictEqual([flows, jobs, both].map(isOver), [false, true, true])
        due.clear()
        due.add("flow_dates")
        yield* second
        assert.deepStrictEqual(asked.slice(2), [["flow_dates", "flows"]])
        assert.isTrue(isOver(flows))
      }),
    ),
  )

  it.effect("asks nothing while no loop waits", () =>
    watched(({ asked, second, wait }) =>
      Effect.gen(function* () {
        yield* second
        const flows = yield* wait("flows")
        yield* Fiber.interrupt(flows)
        yield* second
        assert.deepStrictEqual(asked, [])
      }),
    ),
  )

  it.effect("looks again after a failure", () =>
    watched(({ due, fail, second, wait }) =>
      Effect.gen(function* () {
        due.add("jobs")
        fail(2)
        const jobs = yield* wait("jobs")
        yield* second
        yield* second
        assert.isFalse(isOver(jobs))
        yield* second
        assert.isTrue(isOver(jobs))
      }),
    ),
  )
})
