// Tests of computations in steps.
import { inSteps, type Steps } from "@tentpole/core/kernel/runtime/Steps"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

describe("Computations in steps", () => {
  it.live("run one step in each turn of the event loop, of all computations", () =>
    Effect.gen(function* () {
      let turn = 0
      const counting = yield* Effect.forkChild(Effect.forever(Effect.map(Effect.yieldNow, () => turn++)))
      const turns: Array<number> = []
      const computation = function* (): Steps<void> {
        for (let step = 0; step < 5; step++) {
          if (step > 0) turns.push(turn)
          yield
        }
      }
      yield* Effect.all(
        [1, 2, 3].map(() => inSteps(computation())),
        { concurrency: "unbounded" },
      )
      yield* Fiber.interrupt(counting)
      assert.strictEqual(turns.length, 12)
      assert.strictEqual(new Set(turns).size, 12)
    }),
  )

  it.effect("end with the result", () =>
    Effect.gen(function* () {
      const sum = function* (): Steps<number> {
        yield
        return 3
      }
      assert.strictEqual(yield* inSteps(sum()), 3)
    }),
  )
})
