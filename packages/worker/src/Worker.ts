// Everything a worker does side by side.
import { Layer } from "effect"
import * as Gates from "./Gates.ts"
import * as Housekeeping from "./Housekeeping.ts"
import * as Jobs from "./Jobs.ts"
import * as Sender from "./Sender.ts"

export const worker = Layer.mergeAll(Jobs.layer, Sender.layer(), Housekeeping.layer).pipe(
  Layer.provide(Gates.fromEnvironment),
)
