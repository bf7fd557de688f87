// DNS for development and tests: answers exactly what a sending domain of `.test` or `.localhost` has to show, and what a
// test has put in; nothing else exists.
import { DnsResolver } from "@tentpole/core/ports/DnsResolver"
import { Effect, Layer } from "effect"

export interface Zone {
  readonly txt?: ReadonlyMap<string, ReadonlyArray<string>>
  readonly mx?: ReadonlyMap<string, ReadonlyArray<string>>
}

export const layer = (zone: Zone = {}) =>
  Layer.succeed(
    DnsResolver,
    DnsResolver.of({
      txt: (name) => Effect.succeed(zone.txt?.get(name) ?? []),
      cname: () => Effect.succeed([]),
      mx: (name) => Effect.succeed(zone.mx?.get(name) ?? []),
    }),
  )
