// Service: the whole product as `tentpole start` runs it, in its own folder and on its own ports; and helpers for its API.
import { freePort } from "@tentpole/adapters/test/FreePort"
import { Data } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { request } from "node:http"
import type { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets a server listen on a free port of this machine; returns the port. */
export const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return address !== null && typeof address === "object" ? address.port : 0
}

/** Calls the probe until it returns a value; the error names `what`. */
export const until = async <A>(
  what: string,
  probe: () => Promise<A | undefined | null | false>,
  { within_ms = 120_000, every_ms = 100 } = {},
): Promise<A> => {
  const end = Date.now() + within_ms
  for (;;) {
    const found = await probe()
    if (found !== undefined && found !== null && found !== false) return found
    if (Date.now() > end) throw new Error(`waited ${within_ms} ms for ${what}`)
    await pause(every_ms)
  }
}

/** Untyped JSON of an answer. */
export type Json = ReturnType<typeof JSON.parse>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: Json
  readonly text: string
}

export const root = fileURLToPath(new URL("../../", import.meta.url))
/** The program `tentpole`. */
export const commandLine = new URL("../../packages/http/bin/tentpole.js", import.meta.url)

export const apiKey = "e2e_0123456789_0123456789_0123456789"

export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** The environment of a service, without the variables of this shell. */
export const environment = (more: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  NODE_OPTIONS: process.env["NODE_OPTIONS"] ?? "--conditions=tentpole:source",
  // The second process with the same modules starts in half the time.
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/tentpole"),
  LOG_LEVEL: "warn",
  RATE_LIMIT_PER_MINUTE: "0",
  // A pause of a process must not end a parser.
  PARSER_SECONDS: "60",
  ...more,
})

/** A call of the API at this origin, with the key of the first start unless `headers` has another. */
export const ask = async (
  api: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await fetch(path.startsWith("http") ? path : api + path, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  let json: Json = null
  try {
    json = JSON.parse(text)
  } catch {
    // Not JSON: the text is in the error.
  }
  return { status: response.status, headers: response.headers, json, text }
}

/** A request that creates a contact, of whose body the last part is missing: `complete` sends it and returns the status. */
export const openRequest = async (api: string): Promise<{ readonly complete: () => Promise<number | undefined> }> => {
  const body = JSON.stringify({ items: [{ email: "late@example.test" }] })
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "content-length": body.length,
  }
  const late = request(`${api}/v1/contacts`, { method: "POST", headers })
  const answer = new Promise<number | undefined>((resolve, reject) => {
    late.once("response", (response) => resolve(response.resume().statusCode))
    late.once("error", reject)
  })
  await new Promise((resolve) => late.write(body.slice(0, 10), resolve))
  // A later request has an answer, so that the head of the first one has arrived.
  await ask(api, "GET", "/healthz")
  const complete = () => {
    late.end(body.slice(10))
    return answer
  }
  return { complete }
}

/** An API that can be called. */
export interface Callable {
  readonly call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

/** The JSON of a successful answer; any other answer is an error. */
export const answered = async (service: Callable, method: string, path: string, body?: unknown): Promise<Json> => {
  const answer = await service.call(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer.json
}

/** Calls of one service. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Json>

export const callsOf =
  (service: Callable): Call =>
  (method, path, body) =>
    answered(service, method, path, body)

/** Runs node; returns when it has ended. */
export const runNode = (args: ReadonlyArray<string>, more: Record<string, string> = {}, input = ""): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env: environment(more) })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
    child.once("exit", (code) => resolve({ code, output }))
    child.stdin.end(input)
  })

/** Runs a command of the command line. */
export const tentpole = (args: ReadonlyArray<string>, more: Record<string, string> = {}): Promise<Ended> =>
  runNode([fileURLToPath(commandLine), ...args], more)

interface Parts {
  readonly folder: string
  readonly port: number
  readonly pagesPort: number
  readonly api: string
  readonly pages: string
  readonly environment: Record<string, string>
}

export class Service extends Data.Class<Parts> {
  output = ""
  #child: ChildProcess | undefined

  static async prepare(more: Record<string, string> = {}): Promise<Service> {
    const folder = await mkdtemp(join(tmpdir(), "tentpole-e2e-"))
    const [port, pagesPort] = [await freePort(), await freePort()]
    const environment = {
      DATA_DIR: join(folder, "data"),
      PORT: String(port),
      PAGES_PORT: String(pagesPort),
      CONSOLE_PORT: "0",
      BOOTSTRAP_API_KEY: apiKey,
      ...more,
    }
    const [api, pages] = [`http://127.0.0.1:${port}`, `http://default.localhost:${pagesPort}`]
    return new Service({ folder, port, pagesPort, api, pages, environment })
  }

  /** Starts the service and waits until it is ready; fails with its output if it ends. */
  async start(): Promise<this> {
    const child = spawn(process.execPath, [fileURLToPath(commandLine), "start"], {
      cwd: root,
      env: environment(this.environment),
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (this.output += String(chunk)))
    await until("the service to be ready", async () => {
      if (child.exitCode !== null) throw new Error(`the start ended with ${child.exitCode}: ${this.output}`)
      if (!this.output.includes("Tentpole is running")) return false
      const ready = await fetch(`${this.api}/readyz`).catch(() => undefined)
      return ready?.ok
    })
    return this
  }

  /** Signals the parent and waits for its end. */
  async signal(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (child === undefined) return null
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
    child.kill(signal)
    return ended
  }

  async pids(): Promise<{ readonly start: number; readonly http: number; readonly worker: number }> {
    return JSON.parse(await readFile(join(this.folder, "data/processes.json"), "utf8"))
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return ask(this.api, method, path, body, headers)
  }

  /** Stops it if it runs, and removes its folder. */
  async remove(): Promise<void> {
    await this.signal("SIGTERM")
    await rm(this.folder, { recursive: true, force: true })
  }
}

/**
 * Visits an address of the pages' listener. Browsers and curl know that every name under `localhost` is this machine
 * (RFC 6761); node asks the resolver, which may not.
 */
export const visit = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { host, pathname, port, search } = new URL(url)
    const options = { host: "127.0.0.1", port, path: pathname + search, headers: { host, ...headers } }
    request(options, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          json: null,
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      )
    })
      .once("error", reject)
      .end()
  })
