// Everything a worker does side by side.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Layer } from "effect"
import * as Jobs from "./Jobs.ts"

export const worker = (_config: Configuration) => Layer.mergeAll(Jobs.layer)
