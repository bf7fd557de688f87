// Runs of the simulation. `SEED=123 npx vitest run simulation` runs one seed; `SEEDS=1000` runs many.
import { sampled } from "@tentpole/core/contract"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { simulate } from "./Simulation.ts"

const one = process.env["SEED"]
const { DEEP, SAMPLE, SEEDS = DEEP !== undefined ? 200 : sampled(8) } = process.env
const count = Number(SEEDS)
const seeds = one === undefined ? Array.from({ length: count }, (_, at) => at + 1) : [Number(one)]

describe("a simulated blast with faults", () => {
  it.live(
    `sends no recipient two messages, misses none, and has correct counters (${seeds.length} seeds)`,
    () =>
      Effect.gen(function* () {
        let crashes = 0
        let unconfirmed = 0
        for (const seed of seeds) {
          const life = yield* simulate(seed)
          crashes += life.crashes
          unconfirmed += life.unconfirmed
          assert.deepStrictEqual(life.violations, [], `SEED=${seed} ${JSON.stringify(life.drawn)}`)
        }
        if (seeds.length >= 4) {
          assert.isAbove(crashes, seeds.length / 2, "the simulation must crash its workers")
          assert.isAbove(unconfirmed, 0, "the simulation must leave messages unconfirmed")
        }
      }),
    600_000,
  )

  it.live("replays a seed exactly", () =>
    Effect.gen(function* () {
      for (const seed of seeds.slice(0, SAMPLE === undefined ? 3 : 1)) {
        assert.strictEqual((yield* simulate(seed)).trace, (yield* simulate(seed)).trace, `SEED=${seed}`)
      }
    }),
  )
})
