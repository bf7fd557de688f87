// What a benchmark is given, and is.
import type { Ending } from "../support/Ending.ts"
import type { Report } from "./Report.ts"

export interface Bench {
  /** A twentieth of the size: to see that it works, not how fast. */
  readonly quick: boolean
  /** As large as it may get: for a machine that has an hour. Benchmarks that know no such size are as they always are. */
  readonly full: boolean
  /** The part that is to be run; undefined: all of them. */
  readonly only: string | undefined
  readonly report: Report
  readonly ending: Ending
}

export interface Benchmark {
  readonly run: (bench: Bench) => Promise<void>
  /** Where it has any, the names of what may be run by itself. */
  readonly parts?: ReadonlyArray<string>
}

/** One world, and what is measured in it: one part after the other, or the one that was asked for. */
export const inParts = <World>(
  begin: (bench: Bench) => Promise<World>,
  parts: Readonly<Record<string, (bench: Bench, world: World) => Promise<void>>>,
): Benchmark => ({
  parts: Object.keys(parts),
  run: async (bench) => {
    const world = await begin(bench)
    for (const [name, run] of Object.entries(parts)) {
      if (bench.only === undefined || bench.only === name) await run(bench, world)
    }
  },
})
