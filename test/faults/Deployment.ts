// The service as separate processes, so that one can be killed without anybody starting it again: PostgreSQL, an HTTP
// process, and as many workers as a campaign wants, each of which it may kill, freeze and wake.
import { prepared } from "@tentpole/adapters/embedded/Prepare"
import { migrate } from "@tentpole/adapters/postgres/Migrate"
import { Effect, Exit, Redacted, Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Ending } from "../support/Ending.ts"
import { Inside } from "../support/Inside.ts"
import { type Answer, apiKey, ask, type Callable, environment, freePort, until } from "../support/Service.ts"

/** A process of the service; it ends with the one that started it. */
export class ServiceProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  /** Once it has come up; never when it is killed before. */
  readonly ready: Promise<void>
  output = ""

  constructor(module: string, variables: Record<string, string>) {
    const child = fork(fileURLToPath(import.meta.resolve(module)), {
      env: environment(variables),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (this.output += String(chunk)))
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()))
    this.ready = new Promise((resolve) => child.on("message", (message) => message === "ready" && resolve()))
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** At once, with nothing put in order. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#ended
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

/** Removed when all ends. */
export const temporaryFolder = async (ending: Ending): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tentpole-faults-"))
  await ending.with(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export class Deployment implements Callable {
  readonly inside: Inside
  readonly #variables: Record<string, string>
  readonly #api: string
  readonly #ending: Ending
  #http: ServiceProcess | undefined

  private constructor(ending: Ending, owner: Redacted.Redacted, folder: string, ports: readonly [number, number]) {
    this.#ending = ending
    this.#api = `http://127.0.0.1:${ports[0]}`
    this.#variables = {
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
    const folder = await temporaryFolder(ending)
    const scope = Scope.makeUnsafe()
    await ending.with(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const { ownerUrl } = await Effect.runPromise(
      prepared({ folder, durable: true, port: null }).pipe(Scope.provide(scope)),
    )
    await Effect.runPromise(migrate(ownerUrl))
    return Deployment.over(ending, ownerUrl)
  }

  /** Over a database that is there, and migrated. The HTTP process may still be coming up: calls wait for it. */
  static async over(ending: Ending, owner: Redacted.Redacted): Promise<Deployment> {
    const folder = await temporaryFolder(ending)
    const deployment = new Deployment(ending, owner, folder, [await freePort(), await freePort()])
    await ending.with(() => deployment.inside.close())
    deployment.#http = await deployment.#start("@tentpole/http/main")
    return deployment
  }

  async call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    await this.#http?.ready
    return ask(this.#api, method, path, body, headers)
  }

  startWorker(): Promise<ServiceProcess> {
    return this.#start("@tentpole/worker/main")
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
      `select count(*)::int as count from pg_stat_activity where application_name = $1 and ${condition}`,
      [worker_application],
    )
    return row?.count ?? 0
  }

  async #start(module: string): Promise<ServiceProcess> {
    const started = new ServiceProcess(module, this.#variables)
    await this.#ending.with(() => started.kill())
    return started
  }
}
