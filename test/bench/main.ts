// Runs a benchmark: `npm run bench audience`. `-- audience --quick` runs a twentieth in a minute, `--full` the largest size,
// `--only <part>` one part. Processes that it started end with it, also after a failure or Ctrl-C.
import { parseArgs } from "node:util"
import { Ending } from "../support/Ending.ts"
import type { Benchmark } from "./Benchmark.ts"
import { Report } from "./Report.ts"

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  audience: async () => (await import("./audience/Audience.ts")).audience,
  blasts: async () => (await import("./blasts/Blasts.ts")).blasts,
  flows: async () => (await import("./flows/Flows.ts")).flows,
  imports: async () => (await import("./imports/Imports.ts")).imports,
  pages: async () => (await import("./pages/Pages.ts")).pages,
  render: async () => (await import("./render/Render.ts")).rendering,
}

const refuse = (reason: string): never => {
  console.error(reason)
  process.exit(1)
}

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
  const names = Object.keys(benchmarks).join(", ")
  throw refuse(`Usage: npm run bench -- <name> [--quick | --full] [--only <part>]. The names are ${names}`)
}
const { parts = [], run } = await load()
if (only !== undefined && !parts.includes(only)) {
  refuse(`"${only}" is no part of ${name}. The parts are ${parts.join(", ") || "none"}`)
}
const ending = new Ending()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void ending.leave(130))
try {
  const report = new Report({ full, only, quick })
  await run({ full, only, quick, report, ending })
  report.close()
} catch (error) {
  if (!ending.begun) console.error(error)
  process.exitCode = 1
} finally {
  await ending.all()
}
