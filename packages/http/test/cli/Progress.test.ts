// Tests of the progress of commands.
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "@effect/vitest"
import { clockOf, lasting } from "../../src/cli/Figures.ts"
import { hasWindows } from "../../src/cli/Opening.ts"
import { follow, Pace, progressLine } from "../../src/cli/Progress.ts"
import { Screen } from "../../src/cli/Screen.ts"

describe("progressLine", () => {
  it("shows the bar, the counts, the rate and the rest", () => {
    assert.strictEqual(
      progressLine({ doing: "Sending", done: 2_500, total: 10_000 }, { perSecond: 100, rest_s: 75 }, 100),
      "Sending  [#####---------------]  2,500 of 10,000  100 per second  1 min 15 s left",
    )
  })

  it("shows no rate while it is unknown, and none at the end", () => {
    assert.strictEqual(progressLine({ doing: "A", done: 0, total: 4 }, null, 80), "A  [--------------------]  0 of 4")
    const pace = { perSecond: 9, rest_s: null }
    assert.strictEqual(progressLine({ doing: "A", done: 4, total: 4 }, pace, 80), "A  [####################]  4 of 4")
    assert.match(progressLine({ doing: "A", done: 3, total: 4 }, pace, 80), /3 of 4 {2}9\.0 per second$/)
    assert.strictEqual(progressLine({ doing: "A", done: 0, total: null }, null, 80), "A")
  })

  it("is shorter than the terminal is wide: without the bar, then cut", () => {
    const progress = { doing: "Sending", done: 9, total: 4, notes: ["1 deferred"] }
    assert.strictEqual(progressLine(progress, null, 52), "Sending  [####################]  9 of 4  1 deferred")
    assert.strictEqual(progressLine(progress, null, 51), "Sending  9 of 4  1 deferred")
    assert.strictEqual(progressLine(progress, null, 20), "Sending  9 of 4  1 ")
  })
})

describe("Pace", () => {
  it("is the rate of the last minute", () => {
    const pace = new Pace()
    assert.isNull(pace.perSecond)
    pace.add(0, 0)
    assert.isNull(pace.perSecond)
    pace.add(10_000, 100)
    assert.strictEqual(pace.perSecond, 10)
    pace.add(70_000, 700)
    pace.add(130_000, 4_300)
    assert.strictEqual(pace.perSecond, 60)
  })

  it("is unknown while nothing is done", () => {
    const pace = new Pace()
    pace.add(0, 5)
    pace.add(60_000, 5)
    assert.isNull(pace.perSecond)
  })
})

describe("lasting", () => {
  it.each([
    [0, "0 s"],
    [59.2, "1 min 0 s"],
    [90, "1 min 30 s"],
    [3_600, "1 h 0 min"],
    [90_061, "25 h 1 min"],
  ])("%s seconds are %s", (seconds, text) => assert.strictEqual(lasting(seconds), text))
})

describe("clockOf", () => {
  it("is the local time, with the day unless it is today", () => {
    const now = new Date(2026, 10, 25, 9, 0)
    assert.strictEqual(clockOf(new Date(2026, 10, 25, 14, 2).toISOString(), now), "14:02")
    assert.strictEqual(clockOf(new Date(2026, 10, 28, 4, 2).toISOString(), now), "28 Nov, 04:02")
  })
})

describe("follow", () => {
  const options = {
    every: "1 second",
    isFinal: (state: number) => state >= 3,
    progressOf: (done: number) => ({ doing: "A", done, total: 3 }),
  } as const

  const followed = Effect.fnUntraced(function* (showsProgress: boolean) {
    const drawn: Array<string> = []
    const screen = { showsProgress, canAsk: false, columns: 80, draw: (line: string) => void drawn.push(line) }
    let state = 0
    const fiber = yield* Effect.forkChild(
      Effect.provideService(
        follow(
          Effect.sync(() => ++state),
          options,
        ),
        Screen,
        { ...screen, ask: async () => "" },
      ),
    )
    yield* TestClock.adjust("5 seconds")
    return { drawn, last: yield* Fiber.join(fiber) }
  })

  it.effect("reads until the state is final, and removes its line", () =>
    Effect.gen(function* () {
      const { drawn, last } = yield* followed(true)
      assert.strictEqual(last, 3)
      assert.strictEqual(drawn.length, 4)
      assert.match(drawn[1] ?? "", /2 of 3 {2}1\.0 per second {2}1 s left$/)
      assert.strictEqual(drawn.at(-1), "")
    }),
  )

  it.effect("draws nothing without a terminal", () =>
    Effect.map(followed(false), ({ drawn, last }) => assert.deepStrictEqual([drawn, last], [[], 3])),
  )
})

describe("hasWindows", () => {
  it("is true on desktops", () => {
    assert.isTrue(hasWindows("darwin", {}))
    assert.isTrue(hasWindows("linux", { WAYLAND_DISPLAY: "wayland-0" }))
    assert.isFalse(hasWindows("linux", { DISPLAY: "" }))
  })
})
