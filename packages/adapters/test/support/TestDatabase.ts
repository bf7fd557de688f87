// Databases of one test file: clones of the migrated template of this run. The server ends with the run, so none is dropped.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { Context, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { checkedStatements } from "./CheckedStatements.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly pgServer: string
    readonly pgOwner: string
    /** The address of a pooler in transaction mode, up to and without the database's name; null: none. */
    readonly pgPooler: string | null
  }
}

const asSuperuser = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })

let count = 0

const from = (template: "template_tentpole" | "template0", prefix: string): Effect.Effect<Redacted.Redacted> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const name = `${prefix}_${process.pid}_${++count}`
    const [migrated] = yield* sql<{ readonly owner: string }>`
      select datdba::regrole::text as owner from pg_database where datname = 'template_tentpole'`
    yield* sql`create database ${sql(name)} owner ${sql(migrated?.owner ?? "")} template ${sql(template)} strategy file_copy`
    return Redacted.make(`${inject("pgOwner")}/${name}`)
  }).pipe(Effect.provide(asSuperuser(`${inject("pgServer")}/postgres`)), Effect.orDie)

/** A migrated database; returns its URL for the owner. */
export const clone = (prefix = "test") => from("template_tentpole", prefix)

/** The variable that gives a service a clone: it starts in half of the time that an embedded server takes. */
export const ownDatabase = async (): Promise<{ readonly DATABASE_URL: string }> => ({
  DATABASE_URL: Redacted.value(await Effect.runPromise(clone("service"))),
})

/** A database without a schema. */
export const empty = (prefix = "test") => from("template0", prefix)

const pooled = (url: Redacted.Redacted) => {
  const pooler = inject("pgPooler")
  return pooler === null
    ? { url }
    : { url: Redacted.make(`${pooler}${new URL(Redacted.value(url)).pathname}`), directUrl: url }
}

export const optionsOf = (url: Redacted.Redacted): Postgres.PostgresOptions => ({
  ...pooled(url),
  applicationName: "tentpole test",
  connections_max: 6,
  statement_timeout_ms: 60_000,
})

/** Connections as the service has them: under the service's role, behind row-level security. */
export const connectionsTo = (url: Redacted.Redacted) => Postgres.connections(optionsOf(url))

/** The same to a clone of its own. Statements of stores are checked. */
export const clients = Layer.unwrap(Effect.map(Effect.suspend(clone), connectionsTo)).pipe(
  Layer.provideMerge(checkedStatements),
)

/** A clone whose clock stops at the time that is set. */
export const stoppedClock = Effect.gen(function* () {
  const url = yield* clone()
  const server = asSuperuser(`${inject("pgServer")}${new URL(Redacted.value(url)).pathname}`)
  const sql = Context.get(yield* Layer.build(server), PgClient.PgClient)
  yield* sql`create table standing_clock (at timestamptz not null)`
  yield* sql`insert into standing_clock values (clock_timestamp())`
  yield* sql`grant select on standing_clock to public`
  yield* sql`alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp`
  yield* sql`
    create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
    as 'select at from public.standing_clock'`
  return { url, set: (at: string) => Effect.orDie(sql`update standing_clock set at = ${at}`) }
})
