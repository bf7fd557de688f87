// Benchmark: its interface, and what it gets.
import type { Ending } from "../support/Ending.ts"
import type { Report } from "./Report.ts"

export interface Bench {
  /** A twentieth of the size: shows that the benchmark works, not how fast the product is. */
  readonly quick: boolean
  /** The largest size, for an hour of a machine. Some benchmarks have none. */
  readonly full: boolean
  /** The part to run; undefined: all parts. */
  readonly only: string | undefined
  readonly report: Report
  readonly ending: Ending
}

export interface Benchmark {
  readonly run: (bench: Bench) => Promise<void>
  /** Parts that can run alone. */
  readonly parts?: ReadonlyArray<string>
}

/** A benchmark that measures its parts one after the other in one world. */
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
