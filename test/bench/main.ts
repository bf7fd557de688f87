// Runs a benchmark by its name: `npm run bench audience`, or a small part of it in a minute: `npm run bench -- audience --quick`.
// `--full` is the largest size that a benchmark knows.
// What it started ends with it, also when it fails or gets a Ctrl-C.
import { parseArgs } from "node:util"
import { Ending } from "../support/Ending.ts"
import { benchmarks } from "./Benchmarks.ts"
import { Report } from "./Report.ts"

const {
  positionals: [name = ""],
  values: { full, quick },
} = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
})
const load = benchmarks[name]
if (load === undefined || (quick && full)) {
  console.error(
    `Say which benchmark: npm run bench -- <name> [--quick | --full]. There are: ${Object.keys(benchmarks).join(", ")}`,
  )
  process.exit(1)
}
const ending = new Ending()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void ending.leave(130))
const report = new Report(name, { full, quick })
try {
  await (await load()).run({ full, quick, report, ending })
  await report.close()
} catch (error) {
  if (!ending.begun) console.error(error)
  process.exitCode = 1
} finally {
  await ending.all()
}
