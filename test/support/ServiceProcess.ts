// A process of the service or of a test, started from a module.
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Ending } from "./Ending.ts"
import { environment } from "./Service.ts"

interface Arguments {
  readonly args?: ReadonlyArray<string>
  /** Flags for node. */
  readonly flags?: ReadonlyArray<string>
}

/** A process that ends with the one that started it. */
export class ServiceProcess {
  readonly #child: ChildProcess
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  /** Resolves once the process is up; never if it is killed before. */
  readonly ready: Promise<void>
  output = ""

  constructor(module: string, variables: Record<string, string>, { args = [], flags = [] }: Arguments = {}) {
    const child = fork(fileURLToPath(import.meta.resolve(module)), args, {
      env: environment(variables),
      execArgv: [...process.execArgv, ...flags],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (this.output += String(chunk)))
    this.ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)))
    this.ready = new Promise((resolve) => child.on("message", (message) => message === "ready" && resolve()))
  }

  /** Starts a process, and kills it at the end. */
  static async start(
    ending: Ending,
    module: string,
    variables: Readonly<Record<string, string>>,
    options?: Arguments,
  ): Promise<ServiceProcess> {
    const started = new ServiceProcess(module, variables, options)
    await ending.with(() => started.kill())
    return started
  }

  /** Starts a server that reports `port <number>`, and ends it at the end. */
  static async serving(
    ending: Ending,
    module: URL,
    variables: Record<string, string>,
    first?: object,
  ): Promise<{ readonly process: ServiceProcess; readonly port: number }> {
    const process = await ServiceProcess.start(ending, module.href, variables)
    if (first !== undefined) process.send(first)
    const ended = process.ended.then(() => Promise.reject(new Error(`a server ended: ${process.output}`)))
    const [, port] = (await Promise.race([process.message("port "), ended])).split(" ")
    return { process, port: Number(port) }
  }

  /** 0 if it never began. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Waits until the process is up; fails with its output if it ends before. */
  async up(): Promise<this> {
    const ended = this.ended.then(() => {
      throw new Error(`a process did not come up: ${this.output}`)
    })
    await Promise.race([this.ready, ended])
    ended.catch(() => undefined)
    return this
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.ended
  }

  terminate(): void {
    this.#child.kill("SIGTERM")
  }

  send(message: object): void {
    if (this.#child.connected) this.#child.send(message)
  }

  /** Waits for a message with this beginning; returns all of it. */
  message(beginning: string): Promise<string> {
    return new Promise((resolve) => {
      const hear = (each: unknown) => {
        if (typeof each !== "string" || !each.startsWith(beginning)) return
        this.#child.off("message", hear)
        resolve(each)
      }
      this.#child.on("message", hear)
    })
  }

  /** Freezes the process and its connections until `wake`. */
  freeze(): void {
    this.#child.kill("SIGSTOP")
  }

  wake(): void {
    this.#child.kill("SIGCONT")
  }
}
