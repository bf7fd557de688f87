// Runs the contract suites of the ports on other servers: `npm run test:postgres`. `PG_BIN_DIRS` names the folders of their
// programs, separated by colons, and `PGBOUNCER_BIN` the program of PgBouncer. `npm test` runs this after the suites on the embedded
// server, and says what is not named.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { root } from "../support/Service.ts"

const { PG_BIN_DIRS = "", PGBOUNCER_BIN: pgBouncer } = process.env
const folders = PG_BIN_DIRS.split(":").filter((folder) => folder !== "")

const runs: ReadonlyArray<readonly [name: string, environment: Readonly<Record<string, string>>]> = [
  ...folders.map((folder) => [folder, { PG_BIN_DIR: folder }] as const),
  ...(pgBouncer === undefined ? [] : [[pgBouncer, { PGBOUNCER_BIN: pgBouncer }] as const]),
]

const say = (line: string): void => void process.stdout.write(`${line}\n`)

if (folders.length === 0) say("No other server: PG_BIN_DIRS names none")
if (pgBouncer === undefined) say("No pooler: PGBOUNCER_BIN names none")

const { PGBOUNCER_BIN: _, ...others } = process.env
const tests = [".contract.test.ts", "test/postgres/kernel/", "e2e/pooler"]
const failed: Array<string> = []
for (const [name, environment] of runs) {
  const child = spawn("npx", ["vitest", "run", "--reporter=dot", ...tests], {
    cwd: root,
    env: { ...others, ...environment },
    stdio: "inherit",
  })
  const [code] = await once(child, "exit")
  if (code !== 0) failed.push(name)
}
if (failed.length > 0) say(`Failed: ${failed.join(", ")}`)
process.exitCode = failed.length === 0 ? 0 : 1
