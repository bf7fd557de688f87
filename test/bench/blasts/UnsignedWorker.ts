// A worker as it is, but that its messages are not signed: a header of one letter stands where the signature would. For the
// benchmark's comparison with a loop that signs nothing; the product has no such setting.
import { ports } from "@tentpole/adapters/FromConfig"
import { asProgram, processOf } from "@tentpole/adapters/Launch"
import { DkimSigner } from "@tentpole/core/rendering/message/Dkim"
import { useCases } from "@tentpole/core/Tentpole"
import { worker } from "@tentpole/worker/Worker"
import { Effect, Layer } from "effect"

const unsigned = Layer.succeed(DkimSigner, DkimSigner.of({ sign: () => Effect.succeed("-") }))

asProgram(
  processOf("worker", (config) => {
    const everything = Layer.merge(ports(config, { name: "worker", connections_max: 12 }), unsigned)
    return worker(config).pipe(Layer.provide(useCases.pipe(Layer.provideMerge(everything))))
  }),
)
