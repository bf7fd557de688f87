// The worker process: sending, imports, generation, schedules.
import { ports } from "@tentpole/adapters/FromConfig"
import { processOf } from "@tentpole/adapters/Launch"
import { useCases } from "@tentpole/core/Tentpole"
import { Layer } from "effect"
import { worker } from "./Worker.ts"

export const workerProcess = processOf("worker", (config) =>
  worker(config).pipe(Layer.provide(useCases), Layer.provide(ports(config, { name: "worker", connections_max: 12 }))),
)
