// Runs test files for each of several servers, and prints which passed.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { root } from "../support/Service.ts"
import type { Run } from "./Runs.ts"

/** `missing`: what was not run, and why. A failure sets the exit code. */
export const runSuites = async (
  runs: ReadonlyArray<Run>,
  tests: ReadonlyArray<string>,
  missing: ReadonlyArray<string>,
): Promise<void> => {
  const lines = [...missing]
  for (const { env, name } of runs) {
    process.stdout.write(`Running on ${name}\n`)
    const child = spawn("npx", ["vitest", "run", "--reporter=dot", ...tests], { cwd: root, env, stdio: "inherit" })
    const [code] = await once(child, "exit")
    if (code !== 0) process.exitCode = 1
    lines.push(`${code === 0 ? "Passed" : "FAILED"}: ${name}`)
  }
  for (const line of lines) process.stdout.write(`${line}\n`)
}
