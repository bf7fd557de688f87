// The world of the campaign `flows`: a deployment with a clock that can be moved, its workers, and a mail server that logs.
import { Data } from "effect"
import { join } from "node:path"
import type { Ending } from "../../support/Ending.ts"
import { bounds } from "../blasts/Times.ts"
import { FakeSmtpProcess } from "../../support/smtp/FakeSmtpProcess.ts"
import { Database } from "../Database.ts"
import { Deployment } from "../Deployment.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { MovedClock } from "./MovedClock.ts"
import { RunningFlow } from "./RunningFlow.ts"

interface Parts {
  readonly deployment: Deployment
  readonly sink: FakeSmtpProcess
  readonly clock: MovedClock
}

export class World extends Data.Class<Parts> {
  readonly workers = new Set<ServiceProcess>()
  #count = 0

  static async begin(ending: Ending): Promise<World> {
    const { database, ownerUrl } = await Database.begin(ending)
    const sink = await FakeSmtpProcess.start(ending, join(await ending.folder(), "mail.log"))
    const clock = await MovedClock.of(database)
    return new World({ deployment: await Deployment.over(ending, ownerUrl), sink, clock })
  }

  /** Starts a worker, and waits until it is up. */
  async worker(): Promise<ServiceProcess> {
    const started = await this.deployment.startWorker(new URL("Worker.ts", import.meta.url).href, {
      SMTP_URL: `smtp://127.0.0.1:${this.sink.port}/`,
      SMTP_CONNECTIONS: String(bounds.connections),
      CLOCK_MOVED_MS: String(this.clock.moved_ms),
    })
    await started.up()
    // The clock may have been moved meanwhile.
    started.send({ clock_moved_ms: this.clock.moved_ms })
    this.workers.add(started)
    return started
  }

  async kill(worker: ServiceProcess): Promise<void> {
    this.workers.delete(worker)
    await worker.kill()
  }

  move(by_ms: number): Promise<void> {
    return this.clock.move(by_ms, this.workers)
  }

  /** An active flow without members, in its own workspace. */
  flow(count: number): Promise<RunningFlow> {
    return RunningFlow.begin(this, `flow${++this.#count}`, count)
  }

  /** Removes what a scenario left. */
  async calm(): Promise<void> {
    this.workers.clear()
    await this.deployment.killWorkers()
    await this.sink.behave()
    await this.deployment.inside.asOwner("delete from workspace where name like 'flow%'")
  }
}
