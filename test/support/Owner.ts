// Owner: a client of the tables' owner, without row-level security and with settings for long reads.
import { PgClient } from "@effect/sql-pg"
import { Context, Layer, type Redacted } from "effect"

export class Owner extends Context.Service<Owner, PgClient.PgClient>()("tentpole/test/Owner") {}

export const layer = (url: Redacted.Redacted) =>
  Layer.effect(Owner, PgClient.PgClient).pipe(
    Layer.provide(
      PgClient.layer({
        url,
        maxConnections: 2,
        startupParameters: { timezone: "UTC", search_path: "public", jit: "off", work_mem: "64MB" },
      }),
    ),
  )
