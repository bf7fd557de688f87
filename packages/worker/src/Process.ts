// The worker process: sending, imports, generation, schedules.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { ports } from "@tentpole/adapters/FromConfig"
import { processOf } from "@tentpole/adapters/Launch"
import { processBeats } from "@tentpole/adapters/operations/ProcessBeats"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { draining, Readiness } from "@tentpole/adapters/operations/Readiness"
import * as HttpWebhookCaller from "@tentpole/adapters/webhooks/HttpWebhookCaller"
import { useCases } from "@tentpole/core/Tentpole"
import { parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import { Layer } from "effect"
import * as BounceListener from "./loops/BounceListener.ts"
import * as Loops from "./loops/Loops.ts"
import * as DueWatch from "./DueWatch.ts"
import * as Jobs from "./jobs/Jobs.ts"
import * as Sender from "./sender/Sender.ts"
import * as WebhookWorker from "./webhooks/WebhookWorker.ts"
import * as HealthServer from "./HealthServer.ts"
import * as SendingLoad from "./SendingLoad.ts"

type WorkerConfiguration = Pick<Configuration, "bounceSmtpPort" | "dnsServers" | "host" | "webhooks" | "workerPort">

const webhooks = ({ dnsServers, webhooks: { allowedNetworks, ownAddresses, timeout_s } }: WorkerConfiguration) =>
  WebhookWorker.layer.pipe(
    Layer.provide(
      HttpWebhookCaller.layer({
        exceptions: allowedNetworks.flatMap((text) => parseNetwork(text) ?? []),
        timeout_ms: timeout_s * 1_000,
        ownPorts: new Set(ownAddresses.map((address) => Number(address.slice(address.lastIndexOf(":") + 1)))),
        ...(dnsServers === null ? {} : { resolve: HttpWebhookCaller.resolveBy(dnsServers) }),
      }),
    ),
  )

/** All parts of a worker. On shutdown readiness ends first, then work is released; the health server ends last. */
export const worker = (config: WorkerConfiguration) => {
  const work = Layer.mergeAll(
    Jobs.layer,
    Sender.layer(),
    webhooks(config),
    Loops.schedules,
    Loops.flows,
    Loops.expiries,
    Loops.confirmations,
    Loops.maintenance,
    BounceListener.layer(config),
    processBeats("worker").pipe(Layer.provide(EventLoop.layer)),
  ).pipe(Layer.provide(Loops.epochs()), Layer.provide([SendingLoad.layer, DueWatch.layer()]))
  return draining(0).pipe(
    Layer.provide(work),
    Layer.provide(HealthServer.layer(config)),
    Layer.provide(Readiness.layer),
  )
}

export const workerProcess = processOf("worker", (config) =>
  worker(config).pipe(Layer.provide(useCases), Layer.provide(ports(config, { name: "worker", connections_max: 12 }))),
)
