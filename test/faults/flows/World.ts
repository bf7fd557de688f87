// The world of the campaign `flows`: a deployment with a clock that can be moved, its workers, and a mail server that logs.
import { Data } from "effect"
import { join } from "node:path"
import type { Ending } from "../../support/Ending.ts"
import { bounds, times } from "../blasts/Times.ts"
import { FakeSmtpProcess } from "../../support/smtp/FakeSmtpProcess.ts"
import { Database } from "../Database.ts"
import { Deployment } from "../Deployment.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { RunningFlow } from "./RunningFlow.ts"

/** Renames the real clock function in the catalogue and puts a shifted one in its place. */
const clockStatements: ReadonlyArray<string> = [
  "create table moved_clock (by interval not null)",
  "insert into moved_clock values ('0')",
  "grant select on moved_clock to public",
  "alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp",
  `create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
     as 'select pg_catalog.real_clock_timestamp() + (select by from public.moved_clock)'`,
]

/** Members wait by the database's clock; workers write times of their own clock. */
class MovedClock extends Data.Class<{ readonly database: Database }> {
  /** The shift that a new worker starts with. */
  moved_ms = 0

  static async of(database: Database): Promise<MovedClock> {
    await database.asSuperuser(clockStatements)
    return new MovedClock({ database })
  }

  get now_ms(): number {
    return Date.now() + this.moved_ms
  }

  /** Workers first: no member is due by their clock. */
  async move(by_ms: number, workers: Iterable<ServiceProcess>): Promise<void> {
    this.moved_ms += Math.ceil(by_ms)
    for (const worker of workers) worker.send({ clock_moved_ms: this.moved_ms })
    await this.database.asSuperuser([`update moved_clock set by = interval '${this.moved_ms} ms'`])
  }
}

interface Parts {
  readonly deployment: Deployment
  readonly sink: FakeSmtpProcess
  readonly clock: MovedClock
}

export class World extends Data.Class<Parts> {
  #count = 0

  static async begin(ending: Ending): Promise<World> {
    const { database, ownerUrl } = await Database.begin(ending)
    const sink = await FakeSmtpProcess.start(ending, join(await ending.folder(), "mail.log"))
    const clock = await MovedClock.of(database)
    return new World({ deployment: await Deployment.over(ending, ownerUrl), sink, clock })
  }

  /** Starts a worker, and waits until it is up. */
  async worker(): Promise<ServiceProcess> {
    const started = await this.deployment.startWorker(new URL("../Worker.ts", import.meta.url).href, {
      SMTP_URL: `smtp://127.0.0.1:${this.sink.port}/`,
      SMTP_CONNECTIONS: String(bounds.connections),
      SENDER_OPTIONS: JSON.stringify(times),
      CLOCK_MOVED_MS: String(this.clock.moved_ms),
    })
    await started.up()
    // The clock may have been moved meanwhile.
    started.send({ clock_moved_ms: this.clock.moved_ms })
    return started
  }

  move(by_ms: number): Promise<void> {
    return this.clock.move(by_ms, this.deployment.workers)
  }

  /** An active flow without members, in its own workspace. */
  flow(count: number): Promise<RunningFlow> {
    return RunningFlow.begin(this, `flow${++this.#count}`, count)
  }

  /** Removes what a scenario left. */
  async calm(): Promise<void> {
    await this.deployment.killWorkers()
    await this.sink.behave()
    await this.deployment.inside.deleteWorkspaces("flow")
  }
}
