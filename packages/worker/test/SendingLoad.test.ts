// Tests of the pauses by which other work yields to sending.
import * as Sending from "@tentpole/worker/SendingLoad"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const { nextPause_ms, SendingLoad } = Sending

const pausesAt = (utilization: number, from_ms: number): ReadonlyArray<number> =>
  [1, 2, 3, 4, 5, 6].reduce<ReadonlyArray<number>>(
    (all) => [...all, nextPause_ms(all.at(-1) ?? from_ms, true, utilization)],
    [],
  )

describe("SendingLoad", () => {
  it("pauses grow while the process is busy with mail, to two seconds", () => {
    assert.deepStrictEqual(pausesAt(0.9, 0), [100, 1_600, 2_000, 2_000, 2_000, 2_000])
  })

  it("pauses shrink while there is time left, and end", () => {
    assert.deepStrictEqual(pausesAt(0.5, 2_000), [1_000, 500, 250, 125, 0, 0])
  })

  it.effect("a process that sends no mail makes no pause, however busy it is", () =>
    Effect.gen(function* () {
      const { pause_ms, watch } = yield* SendingLoad
      const inFlight = { size: 0 }
      watch(inFlight)
      // As busy as a process can be, for longer than a measurement.
      const work = (): number => {
        const until_ms = performance.now() + 150
        while (performance.now() < until_ms);
        return pause_ms()
      }
      assert.strictEqual(work(), 0)
      inFlight.size = 1
      assert.strictEqual(work(), 100)
      inFlight.size = 0
      assert.strictEqual(work(), 0)
    }).pipe(Effect.provide(Sending.layer)),
  )
})
