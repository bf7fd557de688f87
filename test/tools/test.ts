// `npm test`: a check of the sources beside the tests, then the suites on other servers.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { root } from "../support/Service.ts"

interface Command {
  readonly name: string
  readonly command: string
  readonly env?: Record<string, string>
  /** Whether its output is printed at its end, in one piece. */
  readonly isCollected?: boolean
}

const run = async ({ command, env, isCollected = false, name }: Command): Promise<string> => {
  const child = spawn(command, {
    cwd: root,
    env: { ...process.env, ...env },
    shell: true,
    stdio: isCollected ? ["ignore", "pipe", "pipe"] : "inherit",
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)))
  const [code] = await once(child, "close")
  process.stdout.write(output)
  if (code !== 0) process.exitCode = 1
  return `${code === 0 ? "Passed" : "FAILED"}: ${name}`
}

/** Lint rules that need types, and the search for dead code, take turns with tests: see `vitest.config.ts`. */
const check = [1, 4].includes(new Date().getUTCDay()) ? "check" : "check:quick"

const ended = await Promise.all([
  // Types and lint use one thread. On two threads the lint takes more processor time, which the tests need.
  run({ name: check, command: `npm run ${check}`, env: { GOMAXPROCS: "1" }, isCollected: true }),
  run({ name: "tests", command: "vitest run", env: { SAMPLE: "1" } }),
])
ended.push(await run({ name: "tests on other servers", command: "npm run --silent test:postgres" }))
process.stdout.write(`${ended.join("\n")}\n`)
