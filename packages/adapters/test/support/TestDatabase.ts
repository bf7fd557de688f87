// Databases of tests: clones of the migrated template of this run. The server ends with the run, so none is dropped, but those of a
// cluster, which are large.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { assert, inject } from "vitest"
import { checkedStatements } from "./CheckedStatements.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly pgServer: string
    readonly pgOwner: string
    /** The address of a pooler in transaction mode, up to and without the database's name; null: none. */
    readonly pgPooler: string | null
    /** The superuser's addresses of further nodes of a cluster, as `pgServer`. */
    readonly pgWorkers: ReadonlyArray<string>
  }
}

const asSuperuser = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })

let count = 0

type Template = "template_tentpole" | "template0"

const copyOn = (node: string, template: Template, name: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [migrated] = yield* sql<{ readonly owner: string }>`
      select datdba::regrole::text as owner from pg_database where datname = 'template_tentpole'`
    yield* sql`create database ${sql(name)} owner ${sql(migrated?.owner ?? "")} template ${sql(template)} strategy file_copy`
  }).pipe(Effect.provide(asSuperuser(`${node}/postgres`)), Effect.orDie)

/** A database of a cluster is one of each node. */
const from = (template: Template, prefix: string): Effect.Effect<Redacted.Redacted> => {
  const name = `${prefix}_${process.pid}_${++count}`
  const copies = [inject("pgServer"), ...inject("pgWorkers")].map((node) => copyOn(node, template, name))
  return Effect.as(Effect.all(copies, { concurrency: "unbounded" }), Redacted.make(`${inject("pgOwner")}/${name}`))
}

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

/** Removes the dead node that the databases of a cluster have (`test/citus/Cluster.ts`), for tests that need all nodes. */
export const without_dead_node = "delete from pg_dist_node where nodename = '127.0.0.9'"

const dropFromCluster = (url: Redacted.Redacted) => {
  const [first, ...others] = [inject("pgServer"), ...inject("pgWorkers")]
  if (others.length === 0) return Effect.void
  const name = new URL(Redacted.value(url)).pathname.slice(1)
  return Effect.forEach(
    [first, ...others],
    (node) =>
      Effect.flatMap(PgClient.PgClient, (sql) => sql`drop database ${sql(name)} with (force)`).pipe(
        Effect.provide(asSuperuser(`${node}/postgres`)),
        Effect.orDie,
      ),
    { discard: true },
  )
}

/**
 * The same to a clone of its own, for tests that change the schema, end connections, or read counters of statistics. Statements of
 * stores are checked.
 */
export const ownClients = Layer.unwrap(
  Effect.map(Effect.acquireRelease(Effect.suspend(clone), dropFromCluster), connectionsTo),
).pipe(Layer.provideMerge(checkedStatements))

/** Tables with rows of tests. Migrations write the rows of others. */
const writtenTables = `
  select oid::regclass::text as name, pg_relation_size(oid) > 256 * 1024 as large from pg_class
  where relkind = 'r' and relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) and pg_relation_size(oid) > 0
    and relname not in ('plan', 'schema_migration', 'table_retention')`

/** For small tables: a truncation replaces the files of all tables that refer to them, which takes three times as long. */
const deletion = (tables: ReadonlyArray<string>) => `
  do $$ begin
    set local session_replication_role = replica;
    ${tables.map((table) => `delete from ${table};`).join("\n    ")}
  end $$`

const truncation = (tables: ReadonlyArray<string>) => `
  do $$ begin
    set local client_min_messages = warning;
    truncate ${tables.join(", ")} cascade;
  end $$`

/** The first row of a new database, and no statistics: sessions plan their statements again, as in a new database. */
const renewal = `
  do $$ begin
    insert into service_epoch default values;
    set local allow_system_table_mods = on;
    delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace);
    update pg_class set reltuples = -1
    where relkind = 'r' and relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) and reltuples = 0;
  end $$`

const emptying = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const tables = yield* sql.unsafe<{ readonly name: string; readonly large: boolean }>(writtenTables)
  const names = tables.map(({ name }) => name)
  if (tables.some(({ large }) => large)) yield* sql.unsafe(truncation(names))
  else if (names.length > 0) {
    yield* sql.unsafe(deletion(names))
    // Tables without rows get files without pages.
    yield* sql.unsafe(`vacuum ${names.join(", ")}`)
  }
  yield* sql.unsafe(renewal)
})

/** Other text after a change of tables, indexes, triggers or functions. */
const fingerprint = `
  select concat((select sum(hashtext(relname)) from pg_class where relnamespace = 'public'::regnamespace),
    (select sum(hashtext(tgname)) from pg_trigger where not tgisinternal), (select count(*) from pg_proc)) as schema`

const connected = Effect.gen(function* () {
  const url = yield* clone("shared")
  const superuser = asSuperuser(`${inject("pgServer")}${new URL(Redacted.value(url)).pathname}`)
  const sql = Context.get(yield* Layer.build(superuser), PgClient.PgClient)
  const readSchema = Effect.orDie(sql.unsafe<{ readonly schema: string }>(fingerprint))
  return {
    connections: yield* Layer.build(connectionsTo(url)),
    empty: Effect.orDie(emptying(sql)),
    readSchema,
    migrated: yield* readSchema,
  }
})

/** Builds it once for all suites of this worker; it ends with the worker. */
export const forWorker = <A, E>(built: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A> =>
  Effect.runSync(
    Effect.cached(
      Effect.promise(() => Effect.runPromise(Effect.provideService(built, Scope.Scope, Scope.makeUnsafe()))),
    ),
  )

/** The database of this worker. A new clone with its first sessions would take the processor a tenth of a second. */
const shared = forWorker(connected)

/** Connections to the database of this worker, emptied. */
const sharedClients = Layer.effectContext(
  Effect.gen(function* () {
    const { connections, empty, migrated, readSchema } = yield* shared
    yield* empty
    yield* Effect.addFinalizer(() =>
      Effect.map(readSchema, (schema) =>
        assert.deepStrictEqual(
          schema,
          migrated,
          "A test changed the schema of a shared database: it needs `ownClients`",
        ),
      ),
    )
    return connections
  }),
).pipe(Layer.provideMerge(checkedStatements))

let isTaken = false

/** Takes the database of this worker if it is free. */
const taken = Effect.acquireRelease(
  Effect.sync(() => {
    const isFree = !isTaken && inject("pgWorkers").length === 0
    isTaken ||= isFree
    return isFree
  }),
  (isOurs) =>
    Effect.sync(() => {
      if (isOurs) isTaken = false
    }),
)

/** Connections as the service has them, to an empty database. Suites that run one after the other share one. */
export const clients = Layer.unwrap(Effect.map(taken, (isOurs) => (isOurs ? sharedClients : ownClients)))

/** A clone whose clock stops at the time that is set. */
export const stoppedClock = Effect.gen(function* () {
  const url = yield* clone()
  const nodes = [inject("pgServer"), ...inject("pgWorkers")].map((node) =>
    PgClient.layer({
      url: Redacted.make(`${node}${new URL(Redacted.value(url)).pathname}`),
      maxConnections: 1,
      // Each node of a cluster gets the table by itself.
      startupParameters: { "citus.enable_ddl_propagation": "off" },
    }),
  )
  const clocks = yield* Effect.forEach(nodes, (node) =>
    Effect.map(Layer.build(node), (context) => Context.get(context, PgClient.PgClient)),
  )
  for (const sql of clocks) {
    yield* sql`create table standing_clock (at timestamptz not null)`
    yield* sql`insert into standing_clock values (clock_timestamp())`
    yield* sql`grant select on standing_clock to public`
    yield* sql`alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp`
    yield* sql`
      create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
      as 'select at from public.standing_clock'`
  }
  const set = (at: string) =>
    Effect.orDie(Effect.forEach(clocks, (sql) => sql`update standing_clock set at = ${at}`, { discard: true }))
  return { url, set }
})
