// All parts of a worker as one layer.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { draining, Readiness } from "@tentpole/adapters/operations/Readiness"
import { Layer } from "effect"
import * as BounceListener from "./loops/BounceListener.ts"
import * as FlowAdvancer from "./loops/FlowAdvancer.ts"
import * as Housekeeping from "./loops/Maintenance.ts"
import * as Jobs from "./jobs/Jobs.ts"
import * as Schedules from "./loops/Schedules.ts"
import * as Sender from "./sender/Sender.ts"
import * as Watched from "./HealthServer.ts"

/** On shutdown readiness ends first, then work is released; the health server ends last. */
export const worker = (config: Pick<Configuration, "bounceSmtpPort" | "host" | "workerPort">) => {
  const work = Layer.mergeAll(
    Jobs.layer,
    Sender.layer(),
    Schedules.layer(),
    FlowAdvancer.layer(),
    Housekeeping.layer,
    BounceListener.layer(config),
  )
  return draining(0).pipe(Layer.provide(work), Layer.provide(Watched.layer(config)), Layer.provide(Readiness.layer))
}
