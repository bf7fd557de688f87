// Benchmark: its interface, and what it gets.
import type { Ending } from "../support/Ending.ts"
import type { Report } from "./Report.ts"

export interface Bench {
  /** A twentieth of the size: shows that the benchmark works, not how fast the product is. */
  readonly quick: boolean
  /** The largest size, for an hour of a machine. Some benchmarks have none. */
  readonly full: boolean
  readonly report: Report
  readonly ending: Ending
}

export type Benchmark = (bench: Bench) => Promise<void>
