// Which use cases the product has. The server, the worker, the command line, tests and embedders all build this one layer
// over the adapters they choose.
import { Layer } from "effect"
import { Workspaces } from "./workspaces/Workspaces.ts"

/** Every use case, over the ports. */
export const useCases = Layer.mergeAll(Workspaces.layer)
