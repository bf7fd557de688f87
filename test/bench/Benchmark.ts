// What a benchmark is given, and is.
import type { Ending } from "./Ending.ts"
import type { Report } from "./Report.ts"

export interface Bench {
  /** A twentieth of the size: to see that it works, not how fast. */
  readonly quick: boolean
  readonly report: Report
  readonly ending: Ending
}

export interface Benchmark {
  readonly run: (bench: Bench) => Promise<void>
}
