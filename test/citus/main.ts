// Runs on a cluster of Citus: the contract suites, the black-box suites of the folder that `CONFORMANCE` names, and the campaign of
// faults. `npm run test:citus`, or `npm run test:citus -- --quick` for a small campaign. `CITUS_BIN` is the folder of PostgreSQL's
// programs, of a server with the extension citus. Without it nothing is run.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { nameOf } from "../postgres/Runs.ts"
import { runSuites } from "../postgres/Suites.ts"
import { root } from "../support/Service.ts"
import { conform } from "./Conformance.ts"

const {
  values: { quick },
} = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const { CITUS_BIN: programs, CONFORMANCE: folder, ...others } = process.env

if (programs === undefined) {
  await runSuites([], [], ["Skipped: CITUS_BIN names no folder of PostgreSQL's programs with the extension citus"])
} else {
  const name = `${nameOf(join(programs, "postgres"))} with Citus`
  await runSuites(
    [{ name, env: { ...others, CITUS: programs } }],
    [".contract.test.ts", ".citus.test.ts", "test/citus/"],
    [],
  )
  if (folder === undefined) process.stdout.write("Skipped: CONFORMANCE names no folder of black-box suites\n")
  else if (!(await conform(programs, folder))) process.exitCode = 1
  const campaign = ["test/faults/main.ts", "citus", ...(quick ? ["--quick"] : [])]
  const child = spawn(process.execPath, campaign, { cwd: root, env: process.env, stdio: "inherit" })
  const [code] = await once(child, "exit")
  if (code !== 0) process.exitCode = 1
}
