// A worker as it is, but that its mail goes nowhere: each message is taken as soon as it is handed over. For benchmarks of what
// comes before the mail server.
import { ports } from "@tentpole/adapters/FromConfig"
import { asProgram, processOf } from "@tentpole/adapters/Launch"
import { type Connection, MailConnections } from "@tentpole/core/sending/MailConnection"
import { useCases } from "@tentpole/core/Tentpole"
import { worker } from "@tentpole/worker/Worker"
import { Effect, Layer } from "effect"

const accepted = { _tag: "accepted", reply: "250 2.0.0 gone" } as const

const connection: Connection = {
  alive: Effect.succeed(true),
  begin: () => Effect.succeed({ release: () => Effect.succeed(accepted), abandon: Effect.void }),
}

const nowhere = Layer.succeed(MailConnections, MailConnections.of({ open: Effect.succeed(connection) }))

asProgram(
  processOf("worker", (config) => {
    const everything = Layer.merge(ports(config, { name: "worker", connections_max: 12 }), nowhere)
    return worker(config).pipe(Layer.provide(useCases.pipe(Layer.provideMerge(everything))))
  }),
)
