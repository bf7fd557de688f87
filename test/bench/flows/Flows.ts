// How fast flows run: members advanced, bursts of changes taken, and members who wait.
import type { Benchmark } from "../Benchmark.ts"
import { World } from "../World.ts"
import { advancing } from "./Advancing.ts"
import { burst } from "./Burst.ts"
import { waiting } from "./Waiting.ts"

export const flows: Benchmark = async (bench) => {
  const world = await World.begin(bench)
  for (const part of [advancing, burst, waiting]) await part(bench, world)
}
