// A receiver of webhooks as a separate process. It counts what arrives by path and time, or logs every request.
import { Data } from "effect"
import type { Ending } from "../Ending.ts"
import { ServiceProcess } from "../ServiceProcess.ts"

/** What came to one path within the same hundredth of a second. */
export interface Received {
  readonly at_ms: number
  readonly path: string
  readonly requests: number
  readonly events: number
}

export interface LoggedRequest {
  readonly at_ms: number
  readonly path: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
  /** False: the receiver misbehaved. A sender that is killed may miss an answer that is recorded here. */
  readonly answered: boolean
}

/** What the first `times` requests with the same `webhook-id` meet at a path: a status, or no answer. */
export interface Behaviour {
  readonly path: string
  readonly times: number
  readonly does: number | "reset" | "hang" | "hang in the head" | "garbage"
}

export interface Request {
  readonly behave?: Behaviour
  /** Counts, log and behaviours begin again. */
  readonly reset?: boolean
  readonly wants?: "counts" | "log"
}

export const eventsOf = (received: ReadonlyArray<Received>): number =>
  received.reduce((sum, { events }) => sum + events, 0)

interface Parts {
  readonly process: ServiceProcess
  readonly port: number
}

export class ReceiverProcess extends Data.Class<Parts> {
  /** With `log` it stores every request, else it only counts. */
  static async start(ending: Ending, { log = false } = {}): Promise<ReceiverProcess> {
    const module = new URL("ReceiverMain.ts", import.meta.url)
    return new ReceiverProcess(await ServiceProcess.serving(ending, module, { RECEIVER_LOG: String(log) }))
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** What has arrived since the last reset. */
  async received(): Promise<ReadonlyArray<Received>> {
    return JSON.parse(await this.#request({}))
  }

  async log(): Promise<ReadonlyArray<LoggedRequest>> {
    return JSON.parse(await this.#request({ wants: "log" }))
  }

  async behave(behave: Behaviour): Promise<void> {
    await this.#request({ behave })
  }

  async reset(): Promise<void> {
    await this.#request({ reset: true })
  }

  async #request(request: Request): Promise<string> {
    const answer = this.process.message("received ")
    this.process.send(request)
    return (await answer).slice("received ".length)
  }
}
