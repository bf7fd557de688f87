// How fast flows run: members advanced, bursts of changes taken, members who wait and cost nothing, a year simulated.
import type { Benchmark } from "../Benchmark.ts"
import { World } from "../blasts/World.ts"
import { advancing } from "./Advancing.ts"

export const flows: Benchmark = {
  run: async (bench) => {
    const world = await World.begin(bench)
    await advancing(bench, world)
  },
}
