// Runs a benchmark by its name: `npm run bench audience`, or a small part of it in a minute: `npm run bench -- audience --quick`.
// `--full` is the largest size that a benchmark knows; `--only <part>` runs one part of it, where it has parts: a shared machine
// is calm for a minute rather than for a quarter of an hour.
// What it started ends with it, also when it fails or gets a Ctrl-C.
import { Ending } from "../support/Ending.ts"
import { asked } from "./Asked.ts"
import { Report } from "./Report.ts"

const what = await asked()
if (typeof what === "string") {
  console.error(what)
  process.exit(1)
}
const { benchmark, full, name, only, quick } = what
const ending = new Ending()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void ending.leave(130))
const report = new Report(name, { full, only, quick })
try {
  await benchmark.run({ full, only, quick, report, ending })
  await report.close()
} catch (error) {
  if (!ending.begun) console.error(error)
  process.exitCode = 1
} finally {
  await ending.all()
}
