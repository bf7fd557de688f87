// The HTTP process: serves the API, published pages and tracking links, and the console.
import { ports } from "@tentpole/adapters/FromConfig"
import { processOf } from "@tentpole/adapters/Launch"
import { processBeats } from "@tentpole/adapters/operations/ProcessBeats"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { useCases } from "@tentpole/core/Tentpole"
import { Layer } from "effect"
import * as FirstStart from "./FirstStart.ts"
import { consoleFiles } from "./console/ConsoleFiles.ts"
import { Doctor } from "./doctor/Doctor.ts"
import { server } from "./Server.ts"

export const httpProcess = processOf("http", (config) =>
  Layer.mergeAll(processBeats("http"), server(config, consoleFiles(config))).pipe(
    // First: who finds the process ready has a key that is valid.
    Layer.provide(FirstStart.layer(config)),
    Layer.provide(EventLoop.layer),
    Layer.provide(Doctor.layer(config)),
    Layer.provide(useCases),
    Layer.provide(ports(config, { name: "http", connections_max: 20 })),
  ),
)
