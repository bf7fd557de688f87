// The worker process: sending, imports, generation, schedules.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { ports } from "@tentpole/adapters/FromConfig"
import { processOf } from "@tentpole/adapters/Launch"
import { processBeats } from "@tentpole/adapters/operations/ProcessBeats"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { draining, Readiness } from "@tentpole/adapters/operations/Readiness"
import { useCases } from "@tentpole/core/Tentpole"
import { Layer } from "effect"
import * as BounceListener from "./loops/BounceListener.ts"
import * as Loops from "./loops/Loops.ts"
import * as Jobs from "./jobs/Jobs.ts"
import * as Sender from "./sender/Sender.ts"
import * as HealthServer from "./HealthServer.ts"

/** All parts of a worker. On shutdown readiness ends first, then work is released; the health server ends last. */
export const worker = (config: Pick<Configuration, "bounceSmtpPort" | "host" | "workerPort">) => {
  const work = Layer.mergeAll(
    Jobs.layer,
    Sender.layer(),
    Loops.schedules(),
    Loops.flows(),
    Loops.maintenance,
    BounceListener.layer(config),
    processBeats("worker").pipe(Layer.provide(EventLoop.layer)),
  ).pipe(Layer.provide(Loops.epochs()))
  return draining(0).pipe(
    Layer.provide(work),
    Layer.provide(HealthServer.layer(config)),
    Layer.provide(Readiness.layer),
  )
}

export const workerProcess = processOf("worker", (config) =>
  worker(config).pipe(Layer.provide(useCases), Layer.provide(ports(config, { name: "worker", connections_max: 12 }))),
)
