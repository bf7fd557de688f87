// `npm test`: the tests, which use three quarters of two processors, beside `npm run check`; then the suites on other servers.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { root } from "../support/Service.ts"

const run = async (script: string, command: string, env: Record<string, string> = {}): Promise<string> => {
  // The check says what it found when it has ended, in one piece.
  const child = spawn(command, {
    cwd: root,
    env: { ...process.env, ...env },
    shell: true,
    stdio: script === "check" ? ["ignore", "pipe", "pipe"] : "inherit",
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)))
  const [code] = await once(child, "close")
  process.stdout.write(output)
  if (code !== 0) process.exitCode = 1
  return `${code === 0 ? "Passed" : "FAILED"}: ${script}`
}

const ended = await Promise.all([run("check", "npm run check"), run("tests", "vitest run", { SAMPLE: "1" })])
ended.push(await run("tests on other servers", "npm run --silent test:postgres"))
process.stdout.write(`${ended.join("\n")}\n`)
