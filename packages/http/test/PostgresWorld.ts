// The world of handlers' tests on a PostgreSQL of this run, for endpoints whose answers are the queries'.
import { PgClient } from "@effect/sql-pg"
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import * as Stores from "@tentpole/adapters/postgres/All"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import { useCases } from "@tentpole/core/Tentpole"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { parts } from "./World.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly pgServer: string
    readonly pgOwner: string
  }
}

let cloned = 0

const clone = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const name = `test_http_${process.pid}_${++cloned}`
  yield* sql`create database ${sql(name)} template template_tentpole strategy file_copy`
  return name
}).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })))

const clientsOf = (name: string) =>
  Postgres.connections({
    url: Redacted.make(`${inject("pgOwner")}/${name}`),
    applicationName: "tentpole http test",
    connections_max: 4,
    statement_timeout_ms: 60_000,
  })

const worldOver = <E>(clients: Layer.Layer<Layer.Success<ReturnType<typeof clientsOf>>, E>) =>
  useCases.pipe(
    Layer.provideMerge(Stores.stores),
    Layer.provideMerge(PersistedJobs.layer()),
    Layer.provideMerge(clients),
    Layer.provideMerge(parts),
  )

/** Every use case on a database of its own. */
export const postgresWorld = worldOver(Layer.unwrap(Effect.map(clone, clientsOf)))

/** The same twice on one database, as two processes have it. */
export const twoProcesses = Effect.map(
  clone,
  (name) => [worldOver(clientsOf(name)), worldOver(clientsOf(name))] as const,
)
