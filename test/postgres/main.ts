// Runs the suites that need PostgreSQL on other servers: `npm run test:postgres`. `PG_BIN_DIRS` names the folders of their programs,
// separated by colons, and `PGBOUNCER_BIN` the program of PgBouncer. `npm test` runs this after the suites on the embedded server,
// and says what is not named.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { root } from "../support/Service.ts"
import { missing, runs } from "./Runs.ts"

const tests = [
  ".contract.test.ts",
  ".postgres.test.ts",
  "test/postgres/",
  "test/schema.test.ts",
  "test/retention.test.ts",
  "e2e/pooler",
]
const lines = [...missing]
for (const { env, name } of runs) {
  process.stdout.write(`Running on ${name}\n`)
  const child = spawn("npx", ["vitest", "run", "--reporter=dot", ...tests], { cwd: root, env, stdio: "inherit" })
  const [code] = await once(child, "exit")
  if (code !== 0) process.exitCode = 1
  lines.push(`${code === 0 ? "Passed" : "FAILED"}: ${name}`)
}
for (const line of lines) process.stdout.write(`${line}\n`)
