// Test that runs the commands of README.md and docs/getting-started.md in a shell, in order, on one new service. Those of README.md
// are processes; the others run in this process, to which the shell sends them.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"
import { command } from "../support/CommandLine.ts"
import { environment, listening, root, Service } from "../support/Service.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const blocksOf = (path: string): ReadonlyArray<string> =>
  [...readFileSync(`${root}${path}`, "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block)

/** Sends its arguments to this process, and prints the answer. */
const sent = `sent() { printf '%s\\0' "$@" | curl -sS --fail-with-body --data-binary @- "$COMMANDS"; }`

/** The commands after the start, as one script. */
const script = (): string =>
  [sent, ...blocksOf("README.md"), ...blocksOf("docs/getting-started.md")]
    .filter((block) => !block.startsWith("npm install"))
    .join("\n")
    .replaceAll("npm run --silent tentpole --", "sent")
    .replaceAll("npm run tentpole --", `"${process.execPath}" packages/http/bin/tentpole.js`)

/** Runs the commands that the shell sends. */
const commands = (variables: Record<string, string>) => {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const args = (await buffer(request)).toString().split("\0").slice(0, -1)
    const { code, output } = await command(args, variables)
    response.writeHead(code === 0 ? 200 : 500).end(output)
  }
  return createServer((request, response) => void answer(request, response))
}

const runShell = (lines: string, variables: Record<string, string>) =>
  new Promise<{ readonly code: number | null; readonly output: string; readonly trace: string }>((resolve) => {
    const child = spawn("bash", ["-e"], { cwd: root, env: environment(variables) })
    let output = ""
    let trace = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (trace += String(chunk)))
    child.once("close", (code) => resolve({ code, output, trace }))
    child.stdin.end(lines)
  })

describe("README.md and docs/getting-started.md", () => {
  let service: Service

  beforeAll(async () => {
    service = await Service.prepare({ ...(await ownDatabase()), BOOTSTRAP_API_KEY: "" })
    await service.start()
  })
  afterAll(() => service.remove())

  it("the first start prints its API key, and where it is stored", async () => {
    const [, key = "none", path = ""] = /API key {2}(\S+) {2}\(stored in (\S+)\)/.exec(service.output) ?? []
    assert.strictEqual((await readFile(path, "utf8")).trim(), key)
  })

  it("every command succeeds in order; at the end a mail was opened and a page was viewed", async () => {
    const server = commands(service.environment)
    const COMMANDS = `http://127.0.0.1:${await listening(server)}`
    const { code, output, trace } = await runShell(script(), { ...service.environment, COMMANDS })
    server.close()
    assert.strictEqual(code, 0, `${output}\n${trace}`)
    assert.include(output, "This is the first mail of your Tentpole.")
    assert.include(output, "Subject  Hello Ben")
    assert.include(output, '"blast_opened_count": 1')
    assert.strictEqual(output.trimEnd().split("\n").at(-1), "1")
  })
})
