// The mail server of the campaign, as its scenarios see it: they set its mood and read its log.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Ending } from "../../support/Ending.ts"
import { ServiceProcess } from "../Deployment.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { calm, type Logged, type Mood } from "./Script.ts"

/** A message whose final dot the mail server got. */
export type Dot = Extract<Logged, { readonly what: "dot" }> & {
  /** Null: none was given. Nobody may have heard it. */
  readonly reply: number | null
  readonly replied_at_ms: number | null
  /** The mail server gave no reply on purpose: its sender's life makes no difference. */
  readonly withheld: boolean
}

export class Sink {
  readonly #process: ServiceProcess
  readonly #file: string
  readonly port: number

  private constructor(process: ServiceProcess, file: string, port: number) {
    this.#process = process
    this.#file = file
    this.port = port
  }

  static async begin(ending: Ending): Promise<Sink> {
    const file = join(await temporaryFolder(ending), "mail.log")
    const process = new ServiceProcess(new URL("MailServer.ts", import.meta.url).href, { SINK_LOG: file })
    await ending.with(() => process.kill())
    const port = Number((await process.told("port ")).slice("port ".length))
    return new Sink(process, file, port)
  }

  /** Calm, but for this. */
  async be(mood: Partial<Mood> = {}): Promise<void> {
    const set = this.#process.told("set")
    this.#process.tell({ ...calm, ...mood })
    await set
  }

  /** Everything to addresses of this domain, in order. */
  async dots(domain: string): Promise<ReadonlyArray<Dot>> {
    const log = await this.#log()
    const replies = new Map(log.flatMap((line) => (line.what === "reply" ? [[line.nth, line] as const] : [])))
    const withheld = new Set(log.flatMap((line) => (line.what === "withheld" ? [line.nth] : [])))
    return log.flatMap((line): ReadonlyArray<Dot> => {
      if (line.what !== "dot" || !line.to.endsWith(`@${domain}`)) return []
      const reply = replies.get(line.nth)
      return [
        { ...line, reply: reply?.code ?? null, replied_at_ms: reply?.at_ms ?? null, withheld: withheld.has(line.nth) },
      ]
    })
  }

  /** How often a recipient of this domain was named. */
  async named(domain: string): Promise<number> {
    return (await this.#log()).filter((line) => line.what === "recipient" && line.to.endsWith(`@${domain}`)).length
  }

  async connections(): Promise<number> {
    return (await this.#log()).filter((line) => line.what === "connection").length
  }

  async #log(): Promise<ReadonlyArray<Logged>> {
    const lines = (await readFile(this.#file, "utf8")).split("\n")
    // What follows the last line's end is being written.
    return lines.slice(0, -1).map((line): Logged => JSON.parse(line))
  }
}
