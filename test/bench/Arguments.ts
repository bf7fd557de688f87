// Arguments: the benchmark and the size that the command line names.
import { parseArgs } from "node:util"
import type { Bench, Benchmark } from "./Benchmark.ts"

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  audience: async () => (await import("./audience/Audience.ts")).audience,
  blasts: async () => (await import("./blasts/Blasts.ts")).blasts,
  flows: async () => (await import("./flows/Flows.ts")).flows,
  imports: async () => (await import("./imports/Imports.ts")).imports,
  pages: async () => (await import("./pages/Pages.ts")).pages,
  render: async () => (await import("./render/Render.ts")).rendering,
}

export interface Arguments extends Pick<Bench, "full" | "only" | "quick"> {
  readonly name: string
  readonly benchmark: Benchmark
}

/** A string is the reason why the arguments are wrong. */
export const argumentsOfCommand = async (): Promise<Arguments | string> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      only: { type: "string" },
      quick: { type: "boolean", default: false },
    },
  })
  const [name = ""] = positionals
  const { full, only, quick } = values
  const load = benchmarks[name]
  if (load === undefined || (quick && full)) {
    return `Usage: npm run bench -- <name> [--quick | --full] [--only <part>]. The names are ${Object.keys(benchmarks).join(", ")}`
  }
  const benchmark = await load()
  const { parts = [] } = benchmark
  return only === undefined || parts.includes(only)
    ? { name, benchmark, full, only, quick }
    : `"${only}" is no part of ${name}. The parts are ${parts.join(", ") || "none"}`
}
