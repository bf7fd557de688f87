// A database for a test of the schema: a clone of the migrated template, accessed as owner and as service.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { Context, Effect, Layer } from "effect"
import { clone } from "@tentpole/adapters/test/TestDatabase"

/** Connections of the schema's owner and of the service to the same clone. */
export const database = Effect.gen(function* () {
  const url = yield* clone("schema")
  const owner = yield* Layer.build(PgClient.layer({ url, maxConnections: 1 }))
  const service = yield* Layer.build(
    Postgres.client({ url, applicationName: "tentpole test", connections_max: 2, statement_timeout_ms: 60_000 }),
  )
  return { owner: Context.get(owner, PgClient.PgClient), service: Context.get(service, PgClient.PgClient) }
})
