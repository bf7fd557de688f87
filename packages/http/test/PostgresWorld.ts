// The world that handlers are tested in, on PostgreSQL: a database of its own, cloned from the migrated template.
import { PgClient } from "@effect/sql-pg"
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import * as Memory from "@tentpole/adapters/memory/All"
import * as Stores from "@tentpole/adapters/postgres/All"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import { useCases } from "@tentpole/core/Tentpole"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { around } from "./World.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly pgServer: string
    readonly pgOwner: string
  }
}

let cloned = 0

const clone = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const name = `http_${process.pid}_${++cloned}`
  yield* sql`create database ${sql(name)} template template_tentpole strategy file_copy`
  return name
}).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })))

const optionsOf = (name: string): Postgres.PostgresOptions => ({
  url: Redacted.make(`${inject("pgOwner")}/${name}`),
  applicationName: "tentpole test",
  connections_max: 6,
  statement_timeout_ms: 15_000,
})

const clients = Layer.unwrap(
  Effect.map(clone, (name) => Layer.merge(Postgres.client(optionsOf(name)), Postgres.longQueries(optionsOf(name)))),
)

/** Every use case on PostgreSQL. Only blobs are in memory. */
export const postgresWorld = useCases.pipe(
  Layer.provideMerge(Stores.stores),
  Layer.provideMerge(PersistedJobs.layer()),
  Layer.provideMerge(around),
  Layer.provideMerge(clients),
  Layer.provideMerge(Memory.database),
)
