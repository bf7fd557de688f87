// The world of the campaign `blasts`: a deployment whose workers reach the database and the mail server through proxies, and a
// mail server that logs.
import type { GateName } from "@tentpole/worker/Gates"
import type { SenderOptions } from "@tentpole/worker/sender/Sender"
import { Data, Redacted } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Ending } from "../../support/Ending.ts"
import { until } from "../../support/Service.ts"
import { Database } from "../Database.ts"
import { Deployment, type Variables } from "../Deployment.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { Proxy } from "../Proxy.ts"
import { keepHistory } from "./History.ts"
import { RunningBlast } from "./RunningBlast.ts"
import { FakeSmtpProcess } from "../../support/smtp/FakeSmtpProcess.ts"
import { bounds, times } from "./Times.ts"

export interface WorkerOptions {
  /** The gate at which the worker stops, until `openGate`. */
  readonly gate?: GateName
  readonly times?: Partial<SenderOptions>
  /** More parameters of SMTP_URL. */
  readonly smtp?: string
  readonly login?: string
  readonly variables?: Variables
}

/** A worker that is up, or at its gate. */
export interface Worker {
  readonly process: ServiceProcess
  readonly openGate: () => Promise<void>
}

interface Parts {
  readonly deployment: Deployment
  readonly sink: FakeSmtpProcess
  readonly toDatabase: Proxy
  readonly toSink: Proxy
  readonly folder: string
  readonly ownDatabase: Database | null
  readonly ownerUrl: string
  /** Whether a trigger keeps the history of deliveries. */
  readonly hasHistory: boolean
}

export class World extends Data.Class<Parts> {
  #count = 0

  static async begin(ending: Ending): Promise<World> {
    const { database, ownerUrl } = await Database.begin(ending)
    return World.over(ending, ownerUrl, database)
  }

  /** Over a migrated database, which scenarios must not stop. */
  static async over(
    ending: Ending,
    ownerUrl: Redacted.Redacted,
    database: Database | null,
    variables: Variables = {},
    hasHistory = true,
  ): Promise<World> {
    const sink = await FakeSmtpProcess.start(ending, join(await ending.folder(), "mail.log"))
    const toSink = await Proxy.to(sink.port, ending)
    const toDatabase = await Proxy.to(Number(new URL(Redacted.value(ownerUrl)).port), ending)
    const deployment = await Deployment.over(ending, ownerUrl, variables)
    if (hasHistory) await keepHistory(deployment.inside)
    const folder = await ending.folder()
    return new World({
      deployment,
      ownDatabase: database,
      sink,
      toDatabase,
      toSink,
      folder,
      ownerUrl: Redacted.value(ownerUrl),
      hasHistory,
    })
  }

  get database(): Database {
    if (this.ownDatabase === null) throw new Error("the database does not belong to this world and cannot be stopped")
    return this.ownDatabase
  }

  /** Starts a worker, and waits until it is up, or at its gate. */
  async worker({ gate, login = "", smtp = "", times: own = {}, variables = {} }: WorkerOptions = {}): Promise<Worker> {
    const key = join(this.folder, `gate ${++this.#count}`)
    const url = new URL(this.ownerUrl)
    url.port = String(this.toDatabase.port)
    const process = await this.deployment.startWorker(new URL("../Worker.ts", import.meta.url).href, {
      DATABASE_URL: url.href,
      SMTP_URL: `smtp://${login}127.0.0.1:${this.toSink.port}/?openTimeout=2&commandTimeout=2&replyTimeout=3${smtp}`,
      SMTP_CONNECTIONS: String(bounds.connections),
      SENDER_OPTIONS: JSON.stringify({ ...times, ...own }),
      ...(gate === undefined ? {} : { TENTPOLE_GATE: gate, TENTPOLE_GATE_OPEN: key }),
      ...variables,
    })
    await process.up()
    if (gate !== undefined) {
      await until(`a worker to reach ${gate}`, async () => process.output.includes(`gate ${gate}`), { every_ms: 10 })
    }
    return { process, openGate: () => writeFile(key, "") }
  }

  /** A sending blast with a fixed audience, in its own workspace, to these names or to so many contacts. */
  async blast(recipients: number | ReadonlyArray<string>): Promise<RunningBlast> {
    const blast = await this.launched(recipients)
    await blast.fixAudience()
    return blast
  }

  /** The same, but a worker still has to fix the audience. */
  launched(recipients: number | ReadonlyArray<string>): Promise<RunningBlast> {
    const domain = `blast${++this.#count}.test`
    const names =
      typeof recipients === "number" ? Array.from({ length: recipients }, (_, at) => `person${at}`) : recipients
    return RunningBlast.launch(this, names, domain)
  }

  /** Ends workers, resets proxies and mail server, and deletes what a scenario left. */
  async calm(): Promise<void> {
    await this.deployment.killWorkers()
    this.toDatabase.release()
    this.toSink.release()
    for (const wire of [this.toDatabase, this.toSink]) {
      wire.refusing = false
      wire.delay_ms = 0
      wire.cut()
    }
    await this.sink.behave()
    await this.deployment.inside.deleteWorkspaces("blast")
  }
}
