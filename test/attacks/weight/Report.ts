// The table of a campaign: for each operation its worst input, at the end the worst ten, and whether the bars hold.
import type { DescribedOperation } from "@tentpole/http/test/fixtures/Described"
import type { Answered } from "@tentpole/http/test/fixtures/World"
import { type Verdict, verdictBy } from "@tentpole/http/test/fuzz/Verdict"
import type { Json } from "@tentpole/http/description/Json"
import type { Measured, Reading } from "./Weighed.ts"

/** The longest block of the event loop that the project allows. */
const block_max_ms = 50
/** The memory that a process may take besides twice its idle memory. */
const growth_bytes_max = 200 * 2 ** 20
/** A refusal says what is wrong, and repeats no body. */
const refusal_length_max = 2 ** 18
/** `MESSAGE_BYTES_MAX` and what is around it. */
const answer_length_max = 12 * 2 ** 20

export interface Row extends Measured {
  readonly process: "http" | "worker"
  readonly operation: string
  readonly parameter: string
  readonly filling: string
  /** Of the last answer; null for work that no request waits for. */
  readonly status: number | null
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

const line = ({
  block_ms,
  busy_ms,
  filling,
  first_ms,
  noise_ms,
  operation,
  parameter,
  process,
  rss_bytes,
  status,
}: Row): string =>
  [
    `${first_ms.toFixed(1).padStart(8)} ms`,
    `${block_ms.toFixed(1).padStart(8)} ms`,
    `${busy_ms.toFixed(1).padStart(8)} ms`,
    `${noise_ms.toFixed(1).padStart(8)} ms`,
    mebibytes(rss_bytes).padStart(8),
    process.padEnd(6),
    operation,
    `${parameter}: ${filling}${status === null ? "" : ` → ${status}`}`,
  ].join("  ")

const head =
  "   first     smallest    processor      noise      memory  process  operation  parameter: filling → status"

const byBlock = (left: Row, right: Row): number => right.block_ms - left.block_ms

export class Report {
  readonly rows: Array<Row> = []
  /** Answers that the description does not have, or that are too large. */
  readonly wrong: Array<string> = []
  #untried = 0
  readonly #refused: Array<string> = []
  readonly #controls: Array<number> = []
  readonly #idle: { [Each in Row["process"]]?: number } = {}
  readonly #verdicts = new Map<Json, Verdict>()

  /** The memory of a process before the campaign. */
  idles(process: Row["process"], rss_bytes: number): void {
    this.#idle[process] = rss_bytes
  }

  add(row: Row): void {
    this.rows.push(row)
  }

  /** An input that the service did not accept, so that the worker has nothing to do. */
  refused(what: string): void {
    this.#refused.push(what)
  }

  /** A block while the process had no work: the noise of the machine. */
  readonly controls = ({ block_ms }: Pick<Reading, "block_ms">): void => {
    this.#controls.push(block_ms)
  }

  leftOut(count: number): void {
    this.#untried += count
  }

  readonly exceeds = ({ block_ms }: Pick<Reading, "block_ms">): boolean => block_ms > block_max_ms

  /** Whether the process itself is the cause: its own work was as long, or the machine did not interrupt it. */
  readonly #blocks = ({ block_ms, busy_ms, noise_ms }: Row): boolean =>
    block_ms > block_max_ms && (busy_ms > block_max_ms || block_ms - noise_ms > block_max_ms)

  memoryMax_bytes(process: Row["process"]): number {
    return 2 * (this.#idle[process] ?? 0) + growth_bytes_max
  }

  /** Checks an answer against its description. A closed connection has none. */
  judge(
    description: Json,
    operation: DescribedOperation,
    at: { readonly parameter: string; readonly filling: string },
    answered: Answered,
  ): void {
    if (answered.status === 0) return
    const verdict = this.#verdicts.get(description) ?? verdictBy(description)
    this.#verdicts.set(description, verdict)
    const what = `${operation.method} ${operation.path} with ${at.parameter}: ${at.filling}`
    const length_max = answered.status >= 400 ? refusal_length_max : answer_length_max
    if (answered.text.length > length_max) {
      this.wrong.push(`${what}: ${answered.status} has ${answered.text.length} characters`)
      return
    }
    try {
      verdict(operation, answered)
    } catch (error) {
      this.wrong.push(`${what}: ${String(error).slice(0, 500)}`)
    }
  }

  /** The rows that take more memory than the bar allows. */
  get heavy(): ReadonlyArray<Row> {
    return this.rows.filter(({ process, rss_bytes }) => rss_bytes > this.memoryMax_bytes(process))
  }

  /** The rows that block the event loop for longer than the bar allows. */
  get blocking(): ReadonlyArray<Row> {
    return this.rows.filter(this.#blocks)
  }

  get #noise(): string {
    const all = this.#controls.toSorted((left, right) => left - right)
    const at = (share: number) => (all[Math.floor((all.length - 1) * share)] ?? 0).toFixed(1)
    return `An idle process, ${all.length} times: median ${at(0.5)} ms, longest ${at(1)} ms.`
  }

  text(title: string): string {
    const ofOperations = Map.groupBy(this.rows, ({ operation, process }) => `${process} ${operation}`)
    const worst = [...ofOperations.values()].flatMap((rows) => rows.toSorted(byBlock).slice(0, 1)).toSorted(byBlock)
    const processes = [...new Set(this.rows.map(({ process }) => process))]
    const memory = processes.map((process) => {
      const peak = Math.max(...this.rows.filter((row) => row.process === process).map(({ rss_bytes }) => rss_bytes))
      return `${process}: idle ${mebibytes(this.#idle[process] ?? 0)}, peak ${mebibytes(peak)}, allowed ${mebibytes(this.memoryMax_bytes(process))}`
    })
    const holds = (all: ReadonlyArray<unknown>) => (all.length === 0 ? "holds" : `${all.length} inputs exceed it`)
    return [
      `# ${title}`,
      "The worst input of each operation:",
      head,
      ...worst.map(line),
      "",
      "The worst ten inputs:",
      head,
      ...this.rows.toSorted(byBlock).slice(0, 10).map(line),
      "",
      `${this.rows.length} inputs of ${ofOperations.size} operations; ${this.#untried} inputs were not tried.`,
      this.#noise,
      ...memory,
      `Longest block ${block_max_ms} ms, without the noise of the machine: ${holds(this.blocking)}.`,
      `Memory of a process: ${holds(this.heavy)}.`,
      ...(this.#refused.length === 0
        ? []
        : [`${this.#refused.length} inputs were refused:`, ...this.#refused.slice(0, 5)]),
      ...(this.wrong.length === 0 ? [] : ["Wrong answers:", ...this.wrong]),
    ].join("\n")
  }
}
