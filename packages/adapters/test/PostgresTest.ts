// A database of its own for each test file, cloned from the migrated template. The server dies with the run, so nothing is
// dropped.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import { Context, Effect, Layer, Redacted } from "effect"
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
  statement_timeout_ms: 60_000,
})

/** A database whose clock stands still where it is set, and the setting. */
export const standing = Effect.gen(function* () {
  const name = yield* clone
  const url = Redacted.make(`${inject("pgServer")}/${name}`)
  const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), PgClient.PgClient)
  yield* sql`create table standing_clock (at timestamptz not null)`
  yield* sql`insert into standing_clock values (clock_timestamp())`
  yield* sql`grant select on standing_clock to public`
  yield* sql`alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp`
  yield* sql`
    create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
    as 'select at from public.standing_clock'`
  return { name, set: (at: string) => Effect.orDie(sql`update standing_clock set at = ${at}`) }
})

/** Connections as the service has them: under the service's role, behind row-level security. */
export const clients = Layer.unwrap(Effect.map(clone, (name) => Postgres.connections(optionsOf(name))))
