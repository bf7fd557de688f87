// The DNS resolver for development and tests: no name has records. Sending domains under `.test` and `.localhost` need none.
import { DnsResolver } from "@tentpole/core/ports/DnsResolver"
import { Effect, Layer } from "effect"

const nothing = () => Effect.succeed([])

export const layer = () => Layer.succeed(DnsResolver, DnsResolver.of({ txt: nothing, cname: nothing, mx: nothing }))
