// The world in which flows are disturbed: a deployment whose clock can be moved, workers that live in it, and a mail server that
// keeps a log.
import type { Ending } from "../../support/Ending.ts"
import { bounds } from "../blasts/Times.ts"
import { Sink } from "../blasts/Sink.ts"
import { Database } from "../Database.ts"
import { Deployment, type ServiceProcess } from "../Deployment.ts"
import { MovedClock } from "./MovedClock.ts"
import { RunningFlow } from "./RunningFlow.ts"

export class World {
  readonly deployment: Deployment
  readonly sink: Sink
  readonly clock: MovedClock
  readonly workers = new Set<ServiceProcess>()
  #count = 0

  private constructor(deployment: Deployment, sink: Sink, clock: MovedClock) {
    this.deployment = deployment
    this.sink = sink
    this.clock = clock
  }

  static async begin(ending: Ending): Promise<World> {
    const { database, ownerUrl } = await Database.begin(ending)
    const sink = await Sink.begin(ending)
    const clock = await MovedClock.of(database)
    return new World(await Deployment.over(ending, ownerUrl), sink, clock)
  }

  /** Starts one, and waits until it has come up. */
  async worker(): Promise<ServiceProcess> {
    const started = await this.deployment.startWorker(new URL("Worker.ts", import.meta.url).href, {
      SMTP_URL: `smtp://127.0.0.1:${this.sink.port}/`,
      SMTP_CONNECTIONS: String(bounds.connections),
      CLOCK_MOVED_MS: String(this.clock.moved_ms),
    })
    const ended = started.ended.then(() => {
      throw new Error(`a worker did not come up: ${started.output}`)
    })
    await Promise.race([started.ready, ended])
    ended.catch(() => undefined)
    // Time may have gone on while it came up.
    started.tell({ clock_moved_ms: this.clock.moved_ms })
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

  /** A flow in a workspace of its own, active, without members. */
  flow(count: number): Promise<RunningFlow> {
    return RunningFlow.begin(this, `flow${++this.#count}`, count)
  }

  /** Whatever a scenario left, so that the next one finds nothing. */
  async calm(): Promise<void> {
    for (const worker of this.workers) await this.kill(worker)
    await this.sink.be()
    await this.deployment.workersForgotten()
    await this.deployment.inside.asOwner("delete from workspace where name like 'flow%'")
  }
}
