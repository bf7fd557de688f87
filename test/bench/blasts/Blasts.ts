// How fast blasts go out: a worker beside loops by hand, a million recipients, two workers, neighbours, and settings of speed.
import type { Benchmark } from "../Benchmark.ts"
import { million } from "./Million.ts"
import { speeds } from "./Speeds.ts"
import { throughput } from "./Throughput.ts"
import { twoWorkers } from "./TwoWorkers.ts"
import { World } from "./World.ts"

export const blasts: Benchmark = {
  run: async (bench) => {
    const world = await World.begin(bench)
    await throughput(bench, world)
    await twoWorkers(bench, world)
    await speeds(bench, world)
    await million(bench, world)
  },
}
