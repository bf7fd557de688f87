// What a benchmark is given, and is.
import type { Ending } from "../support/Ending.ts"
import type { Report } from "./Report.ts"

export interface Bench {
  /** A twentieth of the size: to see that it works, not how fast. */
  readonly quick: boolean
  /** As large as it may get: for a machine that has an hour. Benchmarks that know no such size are as they always are. */
  readonly full: boolean
  readonly report: Report
  readonly ending: Ending
}

export interface Benchmark {
  readonly run: (bench: Bench) => Promise<void>
}
