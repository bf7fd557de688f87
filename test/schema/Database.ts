// A database of its own for a test of the schema: a clone of the migrated template, seen by its owner and by the service.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import { Context, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"

let cloned = 0

const clone = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const name = `schema_${process.pid}_${++cloned}`
  const [template] = yield* sql<{ readonly owner: string }>`
    select datdba::regrole::text as owner from pg_database where datname = 'template_tentpole'`
  yield* sql`create database ${sql(name)} owner ${sql(template?.owner ?? "")} template template_tentpole strategy file_copy`
  return name
}).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })))

/** The owner of the schema, and the service that works in it; both on the same clone. */
export const database = Effect.gen(function* () {
  const url = Redacted.make(`${inject("pgOwner")}/${yield* clone}`)
  const owner = yield* Layer.build(PgClient.layer({ url, maxConnections: 1 }))
  const service = yield* Layer.build(
    Postgres.client({ url, applicationName: "tentpole test", connections_max: 2, statement_timeout_ms: 15_000 }),
  )
  return { owner: Context.get(owner, PgClient.PgClient), service: Context.get(service, PgClient.PgClient) }
})
