// Everything a worker does side by side.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Layer } from "effect"
import * as BounceListener from "./BounceListener.ts"
import * as FlowAdvancer from "./FlowAdvancer.ts"
import * as Gates from "./Gates.ts"
import * as Housekeeping from "./Housekeeping.ts"
import * as Jobs from "./Jobs.ts"
import * as Schedules from "./Schedules.ts"
import * as Sender from "./Sender.ts"

export const worker = (config: Pick<Configuration, "bounceSmtpPort" | "host">) =>
  Layer.mergeAll(
    Jobs.layer,
    Sender.layer(),
    Schedules.layer(),
    FlowAdvancer.layer(),
    Housekeeping.layer,
    BounceListener.layer(config),
  ).pipe(Layer.provide(Gates.fromEnvironment))
