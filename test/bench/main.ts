// Runs a benchmark: `npm run bench audience`. `-- audience --quick` runs a twentieth in a minute, `--full` the largest size,
// `--only <part>` one part. Processes that it started end with it, also after a failure or Ctrl-C.
import { Ending } from "../support/Ending.ts"
import { argumentsOfCommand } from "./Arguments.ts"
import { Report } from "./Report.ts"

const given = await argumentsOfCommand()
if (typeof given === "string") {
  console.error(given)
  process.exit(1)
}
const { benchmark, full, name, only, quick } = given
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
