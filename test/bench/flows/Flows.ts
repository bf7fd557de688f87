// How fast flows run: members advanced, bursts of changes taken, members who wait and cost nothing, a year simulated.
import type { Benchmark } from "../Benchmark.ts"
import { World } from "../blasts/World.ts"
import { advancing } from "./Advancing.ts"
import { burst } from "./Burst.ts"
import { simulating } from "./Simulating.ts"
import { waiting } from "./Waiting.ts"

export const flows: Benchmark = {
  run: async (bench) => {
    const world = await World.begin(bench)
    await simulating(bench, world)
    await advancing(bench, world)
    await burst(bench, world)
    await waiting(bench, world)
  },
}
