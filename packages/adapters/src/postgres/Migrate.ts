// Brings the database's schema up to this version. Whichever process comes first does it, under an advisory lock; the
// others wait and find nothing left to do. All of it is one transaction: a migration that fails leaves nothing.
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"
import { type SqlError, SqlClient } from "effect/sql"
import { migrations } from "./migrations/All.ts"
import { queue_table } from "../jobs/QueueTable.ts"

/** What stands in the way of migrating, in a sentence that says what to do. */
export class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  reason: Schema.String,
  cause: Schema.Defect(),
}) {
  override get message(): string {
    return this.reason
  }
}

const lock = "tentpole_migrations"

const pending = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  yield* sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
  const [server] = yield* sql<{ version: number }>`select current_setting('server_version_num')::int as version`
  if (server !== undefined && server.version < 150_000) {
    return yield* new MigrationFailed({
      reason: "PostgreSQL 15 or later is needed: point DATABASE_URL at a newer server",
      cause: null,
    })
  }
  yield* sql`create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now())`
  const applied = yield* sql<{ name: string }>`select name from schema_migration`
  const names = new Set(applied.map(({ name }) => name))
  return Object.entries(migrations).filter(([name]) => !names.has(name))
})

const migrateAll = Effect.fnUntraced(function* () {
  const sql = yield* PgClient.PgClient
  const todo = yield* pending(sql)
  for (const [name, { statements }] of todo) {
    for (const statement of statements) yield* sql.unsafe(statement).unprepared
    yield* sql`insert into schema_migration (name) values (${name})`
  }
  // The queue's library brings its table and its own migrations. They belong here, so that no worker needs to make tables.
  yield* sql`set local search_path = jobs`
  yield* Effect.scoped(PersistedQueue.makeStoreSql({ tableName: queue_table })).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
  )
  // Jobs that were given up are few among many that are done: whoever looks for them walks through no others. What is
  // there is not asked for again: that would wait for everybody who has just queued something.
  const [dead] = yield* sql`select to_regclass('job_queue_dead') as found`
  if (dead?.["found"] === null) {
    yield* sql`create index job_queue_dead on ${sql(queue_table)} (updated_at) where state = 'failed'`
  }
  return todo.map(([name]) => name)
})

const explain = (error: SqlError.SqlError): MigrationFailed => {
  const { reason } = error
  const text: Partial<Record<typeof reason._tag, string>> = {
    ConnectionError:
      "PostgreSQL can't be reached: check DATABASE_URL (or DATABASE_MIGRATION_URL), and that the server is running and lets this machine in",
    AuthenticationError:
      "PostgreSQL refused the login: check the user and password in DATABASE_URL (or DATABASE_MIGRATION_URL)",
    AuthorizationError:
      "The migrating user lacks a right: DATABASE_MIGRATION_URL must name the owner of the database, with CREATEROLE (or a role tentpole_service made by an administrator and granted to it)",
  }
  return new MigrationFailed({
    reason: text[reason._tag] ?? `The migration failed: ${reason.message}`,
    cause: error,
  })
}

/** Answers the names of the migrations that this call applied. */
export const migrate = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<string>, MigrationFailed> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.withTransaction(migrateAll())
  }).pipe(
    Effect.provide(
      PgClient.layer({
        url,
        maxConnections: 2,
        connectTimeout: "5 seconds",
        applicationName: "tentpole migrate",
        startupParameters: { timezone: "UTC" },
      }),
    ),
    Effect.catchTag("SqlError", (error) => Effect.fail(explain(error))),
  )
