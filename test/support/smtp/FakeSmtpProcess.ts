// FakeSmtp as a separate process, which outlives the processes that a test kills, and whose log or counts the test reads.
import type { Behaviour } from "@tentpole/adapters/test/FakeSmtpScript"
import { Data } from "effect"
import { readFile } from "node:fs/promises"
import type { Ending } from "../Ending.ts"
import { ServiceProcess } from "../ServiceProcess.ts"

/** A line of the log. `nth` names a message. */
export type Logged =
  | {
      readonly what: "dot"
      readonly at_ms: number
      readonly nth: number
      /** The delivery: the left side of its Message-ID. */
      readonly delivery: string
      readonly messageId: string
      readonly from: string
      readonly to: string
      readonly unsubscribe: string
    }
  | { readonly what: "reply"; readonly at_ms: number; readonly nth: number; readonly code: number }
  | { readonly what: "withheld"; readonly at_ms: number; readonly nth: number }
  | { readonly what: "connection" | "recipient"; readonly at_ms: number; readonly to: string }

/** A message whose final dot arrived. */
export type Dot = Extract<Logged, { readonly what: "dot" }> & {
  /** Null: the server did not reply. A client may miss a reply that is recorded here. */
  readonly reply: number | null
  /** The server gave no reply on purpose, whether or not its client lived. */
  readonly withheld: boolean
}

/** Messages for one domain that came within the same hundredth of a second. */
export interface Arrival {
  readonly at_ms: number
  readonly domain: string
  readonly count: number
}

export const countOf = (arrivals: ReadonlyArray<Arrival>): number => arrivals.reduce((sum, { count }) => sum + count, 0)

/** When the first and the last message arrived. */
export const spanOf = (arrivals: ReadonlyArray<Arrival>): { readonly first_ms: number; readonly last_ms: number } => {
  let [first_ms, last_ms] = [Infinity, -Infinity]
  for (const { at_ms } of arrivals) {
    first_ms = Math.min(first_ms, at_ms)
    last_ms = Math.max(last_ms, at_ms)
  }
  return { first_ms, last_ms }
}

/** Messages a second, from the first to the last arrival. */
export const rateOf = (arrivals: ReadonlyArray<Arrival>): number => {
  const { first_ms, last_ms } = spanOf(arrivals)
  return (countOf(arrivals) / (last_ms - first_ms)) * 1000
}

/** Messages a second that arrived in a window of time. */
export const rateBetween = (arrivals: ReadonlyArray<Arrival>, from_ms: number, to_ms: number): number =>
  (countOf(arrivals.filter(({ at_ms }) => at_ms >= from_ms && at_ms < to_ms)) / (to_ms - from_ms)) * 1000

export interface Request {
  readonly behaviour?: Partial<Behaviour>
  /** The counts begin again at zero. */
  readonly reset?: boolean
}

interface Parts {
  readonly process: ServiceProcess
  readonly port: number
  readonly log: string | undefined
}

export class FakeSmtpProcess extends Data.Class<Parts> {
  /** `log`: the file to write. Without one the server only counts. */
  static async start(ending: Ending, log?: string): Promise<FakeSmtpProcess> {
    const variables: Record<string, string> = log === undefined ? {} : { SMTP_LOG: log }
    const server = await ServiceProcess.serving(ending, new URL("FakeSmtpMain.ts", import.meta.url), variables)
    return new FakeSmtpProcess({ ...server, log })
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  /** Sets the default behaviour with these changes. */
  async behave(behaviour: Partial<Behaviour> = {}): Promise<void> {
    await this.#request({ behaviour })
  }

  async reset(): Promise<void> {
    await this.#request({ reset: true })
  }

  /** What has arrived since the counts were reset. */
  arrivals(): Promise<ReadonlyArray<Arrival>> {
    return this.#request({})
  }

  async #request(request: Request): Promise<ReadonlyArray<Arrival>> {
    const answer = this.process.message("arrivals ")
    this.process.send(request)
    return JSON.parse((await answer).slice("arrivals ".length))
  }

  /** Every message to addresses of this domain, in order. */
  async dots(domain: string): Promise<ReadonlyArray<Dot>> {
    const lines = await this.#lines()
    const replies = new Map(lines.flatMap((line) => (line.what === "reply" ? [[line.nth, line] as const] : [])))
    const withheld = new Set(lines.flatMap((line) => (line.what === "withheld" ? [line.nth] : [])))
    return lines.flatMap((line): ReadonlyArray<Dot> => {
      if (line.what !== "dot" || !line.to.endsWith(`@${domain}`)) return []
      const reply = replies.get(line.nth)
      return [{ ...line, reply: reply?.code ?? null, withheld: withheld.has(line.nth) }]
    })
  }

  /** How often a recipient of this domain was named. */
  async recipients_count(domain: string): Promise<number> {
    return (await this.#lines()).filter((line) => line.what === "recipient" && line.to.endsWith(`@${domain}`)).length
  }

  async #lines(): Promise<ReadonlyArray<Logged>> {
    if (this.log === undefined) throw new Error("this server only counts: start it with a log")
    const lines = (await readFile(this.log, "utf8")).split("\n")
    // The last line is not complete yet.
    return lines.slice(0, -1).map((line): Logged => JSON.parse(line))
  }
}
