// All use cases over the configured ports, for commands.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { ports } from "@tentpole/adapters/FromConfig"
import { useCases } from "@tentpole/core/Tentpole"
import { Layer } from "effect"

export const everything = (config: Configuration) =>
  useCases.pipe(Layer.provideMerge(ports(config, { name: "command line", connections_max: 2 })))

export type Everything = Layer.Success<ReturnType<typeof everything>>
