// The benchmark `blasts`: a worker beside loops by hand, two workers, settings of speed, and a million recipients.
import type { Benchmark } from "../Benchmark.ts"
import { million } from "./Million.ts"
import { speeds } from "./Speeds.ts"
import { throughput, twoWorkers } from "./Throughput.ts"
import { World } from "../World.ts"

export const blasts: Benchmark = async (bench) => {
  const world = await World.begin(bench)
  for (const part of [throughput, twoWorkers, speeds, million]) await part(bench, world)
}
