// The product's worker without one of its parts: `WITHOUT=signature` puts a letter in place of each signature, and
// `WITHOUT=mail` accepts each message as soon as it is handed over. The product has no such settings.
import { ports } from "@tentpole/adapters/FromConfig"
import { asProgram, processOf } from "@tentpole/adapters/Launch"
import { type Connection, MailConnections } from "@tentpole/core/sending/MailConnection"
import { DkimSigner } from "@tentpole/core/rendering/message/Dkim"
import { useCases } from "@tentpole/core/Tentpole"
import { worker } from "@tentpole/worker/Process"
import { Effect, Layer } from "effect"

const connection: Connection = {
  alive: Effect.succeed(true),
  begin: () =>
    Effect.succeed({
      release: () => Effect.succeed({ _tag: "accepted", reply: "250 2.0.0 ok" }),
      abandon: Effect.void,
    }),
}

const without = Layer.mergeAll(
  process.env["WITHOUT"] === "signature"
    ? Layer.succeed(DkimSigner, DkimSigner.of({ sign: () => Effect.succeed("-") }))
    : Layer.empty,
  process.env["WITHOUT"] === "mail"
    ? Layer.succeed(MailConnections, MailConnections.of({ open: Effect.succeed(connection) }))
    : Layer.empty,
)

asProgram(
  processOf("worker", (config) => {
    const everything = Layer.merge(ports(config, { name: "worker", connections_max: 12 }), without)
    return worker(config).pipe(Layer.provide(useCases.pipe(Layer.provideMerge(everything))))
  }),
)
