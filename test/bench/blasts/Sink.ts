// The mail server of the benchmark, as whoever measures sees it.
import type { Ending } from "../../support/Ending.ts"
import { ServiceProcess } from "../../faults/Deployment.ts"

/** Messages for one domain that came within the same hundredth of a second. */
export interface Arrival {
  readonly at_ms: number
  readonly domain: string
  readonly count: number
}

export interface Told {
  readonly arrivals: ReadonlyArray<Arrival>
  /** Of messages. */
  readonly bytes: number
  readonly processor_ms: number
}

export class Sink {
  readonly #process: ServiceProcess
  readonly port: number

  private constructor(process: ServiceProcess, port: number) {
    this.#process = process
    this.port = port
  }

  static async begin(ending: Ending): Promise<Sink> {
    const process = new ServiceProcess(new URL("MailSink.ts", import.meta.url).href, {})
    await ending.with(() => process.kill())
    return new Sink(process, Number((await process.told("port ")).slice("port ".length)))
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  /** How long it takes to answer a message, from now on. */
  async pauseFor(pause_ms: number): Promise<void> {
    await this.#ask({ pause_ms })
  }

  /** Begins to count anew. */
  async forget(): Promise<void> {
    await this.#ask({ forget: true })
  }

  told(): Promise<Told> {
    return this.#ask({})
  }

  /** Messages that came, in all or for this domain. */
  async count(domain?: string): Promise<number> {
    const { arrivals } = await this.told()
    return countOf(domain === undefined ? arrivals : arrivals.filter((each) => each.domain === domain))
  }

  async #ask(message: object): Promise<Told> {
    const answer = this.#process.told("told ")
    this.#process.tell(message)
    return JSON.parse((await answer).slice("told ".length))
  }
}

export const countOf = (arrivals: ReadonlyArray<Arrival>): number => arrivals.reduce((sum, { count }) => sum + count, 0)

/** When the first and the last of them came. */
export const spanOf = (arrivals: ReadonlyArray<Arrival>): { readonly first_ms: number; readonly last_ms: number } => {
  let [first_ms, last_ms] = [Infinity, -Infinity]
  for (const { at_ms } of arrivals) {
    first_ms = Math.min(first_ms, at_ms)
    last_ms = Math.max(last_ms, at_ms)
  }
  return { first_ms, last_ms }
}

/** Messages a second, from the first that came to the last. */
export const rateOf = (arrivals: ReadonlyArray<Arrival>): number => {
  const { first_ms, last_ms } = spanOf(arrivals)
  return (countOf(arrivals) / (last_ms - first_ms)) * 1000
}

/** Messages a second, of what came in a window of time. */
export const rateBetween = (arrivals: ReadonlyArray<Arrival>, from_ms: number, to_ms: number): number =>
  (countOf(arrivals.filter(({ at_ms }) => at_ms >= from_ms && at_ms < to_ms)) / (to_ms - from_ms)) * 1000
