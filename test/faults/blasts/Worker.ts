// The product's worker with short times, which blocks its event loop on request.
import { ports } from "@tentpole/adapters/FromConfig"
import { asProgram, processOf } from "@tentpole/adapters/Launch"
import { useCases } from "@tentpole/core/Tentpole"
import * as Jobs from "@tentpole/worker/jobs/Jobs"
import { defaults, layer as sender, type SenderOptions } from "@tentpole/worker/sender/Sender"
import { Layer } from "effect"
import * as WorkerGates from "../WorkerGates.ts"

const short: Partial<SenderOptions> = JSON.parse(process.env["SENDER_OPTIONS"] ?? "{}")

const worker = Layer.merge(Jobs.layer, sender({ ...defaults, ...short })).pipe(
  Layer.provide(WorkerGates.fromEnvironment),
)

process.on("message", ({ block_ms }: { readonly block_ms: number }) => {
  const end = performance.now() + block_ms
  while (performance.now() < end) {
    // The process does nothing else.
  }
})

asProgram(
  processOf("worker", (config) =>
    worker.pipe(Layer.provide(useCases), Layer.provide(ports(config, { name: "worker", connections_max: 12 }))),
  ),
)
