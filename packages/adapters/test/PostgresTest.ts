// A database of its own for each test file, cloned from the migrated template. The server dies with the run, so nothing is
// dropped.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    readonly pgServer: string
    readonly pgOwner: string
  }
}

let cloned = 0

/** Makes a database and answers its name. Counted inside, since files share a process. */
export const clone = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const name = `test_${process.pid}_${++cloned}`
  yield* sql`create database ${sql(name)} template template_tentpole strategy file_copy`
  return name
}).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })))

export const optionsOf = (name: string): Postgres.PostgresOptions => ({
  url: Redacted.make(`${inject("pgOwner")}/${name}`),
  applicationName: "tentpole test",
  connections_max: 6,
  statement_timeout_ms: 15_000,
})

/** Connections as the service has them: under the service's role, behind row-level security. */
export const clients = Layer.unwrap(Effect.map(clone, (name) => Postgres.connections(optionsOf(name))))
