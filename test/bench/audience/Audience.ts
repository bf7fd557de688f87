// The benchmark `audience`: segments, single contacts and batches of a workspace with a million contacts, each beside the best
// statements by hand on the same database.
import type { Benchmark } from "../Benchmark.ts"
import { beside } from "./Beside.ts"
import { evaluator } from "./Evaluator.ts"
import { findOne } from "./FindOne.ts"
import { merges } from "./Merges.ts"
import { segments } from "./Segments.ts"
import { upserts } from "./Upserts.ts"
import { largeWorkspace } from "./LargeWorkspace.ts"

export const audience: Benchmark = async (bench) => {
  await evaluator(bench)
  const world = await largeWorkspace(bench)
  await segments(bench, world)
  await findOne(bench, world)
  await upserts(bench, world)
  await merges(bench, world)
  // Last, since its blast may still be sending.
  await beside(bench, world)
}
