// The service as separate processes, so that one can be killed without anybody starting it again: PostgreSQL, an HTTP
// process, and as many workers as a campaign wants, each of which it may kill, freeze and wake.
import { Redacted } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Ending } from "../support/Ending.ts"
import { Inside } from "../support/Inside.ts"
import { type Answer, apiKey, ask, type Callable, environment, freePort, until } from "../support/Service.ts"
import { Database } from "./Database.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

/** A process of the service; it ends with the one that started it. */
export class ServiceProcess {
  readonly #child: ChildProcess
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  /** Once it has come up; never when it is killed before. */
  readonly ready: Promise<void>
  output = ""

  constructor(module: string, variables: Record<string, string>, args: ReadonlyArray<string> = []) {
    const child = fork(fileURLToPath(import.meta.resolve(module)), args, {
      env: environment(variables),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (this.output += String(chunk)))
    this.ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)))
    this.ready = new Promise((resolve) => child.on("message", (message) => message === "ready" && resolve()))
  }

  /** 0 if it never began. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** At once, with nothing put in order. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.ended
  }

  /** Asks it to stop. */
  terminate(): void {
    this.#child.kill("SIGTERM")
  }

  /** Tells it something, where it lives and listens. */
  tell(message: object): void {
    if (this.#child.connected) this.#child.send(message)
  }

  /** Waits until it tells something that begins so; answers all of it. */
  told(beginning: string): Promise<string> {
    return new Promise((resolve) => {
      const hear = (each: unknown) => {
        if (typeof each !== "string" || !each.startsWith(beginning)) return
        this.#child.off("message", hear)
        resolve(each)
      }
      this.#child.on("message", hear)
    })
  }

  /** Stands still, with all that it holds, until it is woken. */
  freeze(): void {
    this.#child.kill("SIGSTOP")
  }

  wake(): void {
    this.#child.kill("SIGCONT")
  }
}

/** What the database shows of a worker's connections. */
const worker_application = "tentpole worker"

/** Settings of the service besides its own: `SMTP_URL`, for one. */
export type Variables = Readonly<Record<string, string>>

export class Deployment implements Callable {
  readonly inside: Inside
  readonly #variables: Record<string, string>
  readonly #api: string
  readonly #ending: Ending
  #http: ServiceProcess | undefined

  private constructor(
    ending: Ending,
    owner: Redacted.Redacted,
    folder: string,
    ports: readonly [number, number],
    more: Variables,
  ) {
    this.#ending = ending
    this.#api = `http://127.0.0.1:${ports[0]}`
    this.#variables = {
      ...more,
      DATABASE_URL: Redacted.value(owner),
      DATA_DIR: folder,
      PORT: String(ports[0]),
      PAGES_PORT: String(ports[1]),
      BOOTSTRAP_API_KEY: apiKey,
    }
    this.inside = new Inside(this.#variables, owner)
  }

  /** With a PostgreSQL of its own, an HTTP process and no worker yet; all of it ends with `ending`. */
  static async begin(ending: Ending): Promise<Deployment> {
    const { ownerUrl } = await Database.begin(ending)
    return Deployment.over(ending, ownerUrl)
  }

  /** Over a database that is there, and migrated. The HTTP process may still be coming up: calls wait for it. */
  static async over(ending: Ending, owner: Redacted.Redacted, more: Variables = {}): Promise<Deployment> {
    const folder = await temporaryFolder(ending)
    const deployment = new Deployment(ending, owner, folder, [await freePort(), await freePort()], more)
    await ending.with(() => deployment.inside.close())
    await deployment.startHttp()
    return deployment
  }

  async call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    await this.#http?.ready
    return ask(this.#api, method, path, body, headers)
  }

  /** As it is started by itself, or the module that a campaign names. */
  startWorker(module = "@tentpole/worker/main", more: Variables = {}): Promise<ServiceProcess> {
    return this.#start(module, more)
  }

  async startHttp(): Promise<ServiceProcess> {
    this.#http = await this.#start("@tentpole/http/main")
    return this.#http
  }

  async killHttp(): Promise<void> {
    await this.#http?.kill()
  }

  /** Waits until the database has noticed that all workers are gone, and rolled back what they had begun. */
  async workersForgotten(): Promise<void> {
    await until("the database to forget dead workers", async () => (await this.#sessions("true")) === 0, {
      every_ms: 10,
    })
  }

  /** Whether a worker waits for a lock that another one holds. */
  async workersMeet(): Promise<boolean> {
    return (await this.#sessions("wait_event_type = 'Lock'")) > 0
  }

  /**
   * The job's lease is over at once, as it would be a minute and a half after its worker died. `attempts` is how often the
   * job has been taken by then; left out, as often as it was.
   */
  async endLease(jobId: string, attempts?: number): Promise<void> {
    await this.inside.asOwner(
      `update jobs.job_queue set acquired_at = acquired_at - interval '1 hour', attempts = coalesce($2::int, attempts)
        where id = $1 and state = 'pending'`,
      [jobId, attempts ?? null],
    )
  }

  /** How often the job was taken, and whether it is done, dead or neither. */
  async job(jobId: string): Promise<{ readonly attempts: number; readonly state: string }> {
    const [row] = await this.inside.asOwner<{ attempts: number; state: string }>(
      "select attempts::int, state from jobs.job_queue where id = $1",
      [jobId],
    )
    if (row === undefined) throw new Error(`there is no job ${jobId}`)
    return row
  }

  async #sessions(condition: string): Promise<number> {
    const [row] = await this.inside.asOwner<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name = $1 and ${condition}`,
      [worker_application],
    )
    return row?.count ?? 0
  }

  async #start(module: string, more: Variables = {}): Promise<ServiceProcess> {
    const started = new ServiceProcess(module, { ...this.#variables, ...more })
    await this.#ending.with(() => started.kill())
    return started
  }
}
