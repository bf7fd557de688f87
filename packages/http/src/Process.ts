// The HTTP process: serves the API, published pages and tracking links, and the console.
import { ports } from "@tentpole/adapters/FromConfig"
import { processOf } from "@tentpole/adapters/Launch"
import { useCases } from "@tentpole/core/Tentpole"
import { Layer } from "effect"
import * as FirstStart from "./FirstStart.ts"
import { consoleFiles } from "./console/ConsoleFiles.ts"
import { server } from "./Server.ts"

export const httpProcess = processOf("http", (config) =>
  Layer.merge(FirstStart.layer(config), server(config, consoleFiles(config))).pipe(
    Layer.provide(useCases),
    Layer.provide(ports(config, { name: "http", connections_max: 20 })),
  ),
)
