// Which benchmark was asked for at the command line, or a line that says what can be asked for.
import { parseArgs } from "node:util"
import type { Bench, Benchmark } from "./Benchmark.ts"
import { benchmarks } from "./Benchmarks.ts"

export interface Asked extends Pick<Bench, "full" | "only" | "quick"> {
  readonly name: string
  readonly benchmark: Benchmark
}

/** A string is why it can't be run, and what would be right. */
export const asked = async (): Promise<Asked | string> => {
  const {
    positionals: [name = ""],
    values: { full, only, quick },
  } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      only: { type: "string" },
      quick: { type: "boolean", default: false },
    },
  })
  const load = benchmarks[name]
  if (load === undefined || (quick && full)) {
    return `Say which benchmark: npm run bench -- <name> [--quick | --full] [--only <part>]. There are: ${Object.keys(benchmarks).join(", ")}`
  }
  const benchmark = await load()
  const parts = benchmark.parts ?? []
  return only === undefined || parts.includes(only)
    ? { name, benchmark, full, only, quick }
    : `"${only}" is no part of ${name}. There are: ${parts.join(", ") || "none"}`
}
