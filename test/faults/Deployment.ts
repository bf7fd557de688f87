// Deployment: the service as separate processes that nothing restarts: an HTTP process, and as many workers as a campaign
// starts.
import { httpFlags, memoryVariables, workerFlags } from "@tentpole/adapters/operations/MemoryFlags"
import { Data, Redacted } from "effect"
import type { Ending } from "../support/Ending.ts"
import { Inside } from "../support/Inside.ts"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { type Answer, apiKey, ask, type Callable, until } from "../support/Service.ts"
import { ServiceProcess } from "../support/ServiceProcess.ts"

/** The application name of a worker's connections. */
const worker_application = "tentpole worker"

/** Settings of the service besides its own: `SMTP_URL`, for one. */
export type Variables = Readonly<Record<string, string>>

interface Parts {
  readonly ending: Ending
  readonly inside: Inside
  readonly port: number
  readonly pagesPort: number
  readonly variables: Variables
}

export class Deployment extends Data.Class<Parts> implements Callable {
  readonly workers = new Set<ServiceProcess>()
  http: ServiceProcess | undefined

  /** Over a migrated database. Calls wait until the HTTP process is up. */
  static async over(ending: Ending, owner: Redacted.Redacted, more: Variables = {}): Promise<Deployment> {
    const [port, pagesPort] = [await freePort(), await freePort()]
    const variables = {
      ...memoryVariables,
      DATABASE_URL: Redacted.value(owner),
      DATA_DIR: await ending.folder(),
      PORT: String(port),
      PAGES_PORT: String(pagesPort),
      CONSOLE_PORT: "0",
      BOOTSTRAP_API_KEY: apiKey,
      ...more,
    }
    const inside = new Inside(variables, owner)
    await ending.with(() => inside.close())
    const deployment = new Deployment({ ending, inside, port, pagesPort, variables })
    await deployment.startHttp()
    return deployment
  }

  async call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    await this.http?.ready
    return ask(`http://127.0.0.1:${this.port}`, method, path, body, headers)
  }

  /** The product's worker, or a module of the campaign. */
  async startWorker(module = "@tentpole/worker/main", more: Variables = {}): Promise<ServiceProcess> {
    const worker = await ServiceProcess.start(
      this.ending,
      module,
      { ...this.variables, ...more },
      { flags: workerFlags },
    )
    this.workers.add(worker)
    return worker
  }

  async startHttp(): Promise<void> {
    this.http = await ServiceProcess.start(this.ending, "@tentpole/http/main", this.variables, { flags: httpFlags })
  }

  async killHttp(): Promise<void> {
    await this.http?.kill()
  }

  /** Waits until the database has rolled back the transactions of dead workers. */
  async workersForgotten(): Promise<void> {
    await until("the database to forget dead workers", async () => (await this.#sessions("true")) === 0, {
      every_ms: 10,
    })
  }

  /** Kills all workers, frozen ones too. */
  async killWorkers(): Promise<void> {
    for (const worker of this.workers) {
      worker.wake()
      await worker.kill()
    }
    this.workers.clear()
    await this.workersForgotten()
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
      `update jobs.job_queue set lease_until = lease_until - interval '1 hour', attempts = coalesce($2::int, attempts)
        where id = $1 and state in ('later', 'ready', 'running')`,
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
}
