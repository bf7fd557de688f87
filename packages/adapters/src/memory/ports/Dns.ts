// The DNS resolver for development and tests. It answers with the records that a sending domain under `.test` or `.localhost`
// needs, and with records that a test sets. No other names exist.
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
