// How fast the audience is asked and written: segments, listings, single contacts and batches of a workspace with a million
// contacts, each beside the best that was written by hand for the same question on the same database.
import type { Benchmark } from "../Benchmark.ts"
import { beside } from "./Beside.ts"
import { evaluator } from "./Evaluator.ts"
import { findOne } from "./FindOne.ts"
import { listings } from "./Listings.ts"
import { segments } from "./Segments.ts"
import { upserts } from "./Upserts.ts"
import { makeWorld } from "./World.ts"

export const audience: Benchmark = {
  run: async (bench) => {
    await evaluator(bench)
    const world = await makeWorld(bench)
    await segments(bench, world)
    await listings(bench, world)
    await findOne(bench, world)
    await upserts(bench, world)
    // Last: a blast that is not over yet ends with the service.
    await beside(bench, world)
  },
}
