// The worker's HTTP server for monitoring: liveness, readiness, metrics. It listens only if WORKER_PORT is set, because many
// workers may run on one machine.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { listening } from "@tentpole/adapters/operations/Listening"
import { processMetrics } from "@tentpole/adapters/operations/Metrics"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { operations } from "@tentpole/adapters/operations/Routes"
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"

/** Time limits for the head and the whole of a request; requests have no body. */
const request_patience_ms = 5_000

const server = () => createServer({ headersTimeout: request_patience_ms, requestTimeout: request_patience_ms })

export const layer = ({ host, workerPort }: Pick<Configuration, "host" | "workerPort">) =>
  workerPort === null
    ? Layer.empty
    : HttpRouter.serve(operations(processMetrics), { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provide(listening({ host, port: workerPort, variable: "WORKER_PORT", grace_s: 1, server })),
        Layer.provide(EventLoop.layer),
      )
