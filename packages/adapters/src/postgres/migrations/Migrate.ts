// The migration of the database's schema to this version. The first process runs it under an advisory lock; the others wait and
// find nothing left to do. It is one transaction: a failed migration leaves nothing. A login without the right to migrate is enough
// when nothing is missing, so the service does not need its owner's password.
import { PgClient } from "@effect/sql-pg"
import { lockMigrations } from "../kernel/AdvisoryLocks.ts"
import { Effect, type Redacted, Schema } from "effect"
import { SqlError } from "effect/sql"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Primary from "../kernel/Primary.ts"
import { migrations } from "./All.ts"

/** The reason why the schema cannot be migrated, in a sentence that says what to do. */
export class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  reason: Schema.String,
  cause: Schema.Defect(),
}) {
  override get message(): string {
    return this.reason
  }
  /** The reason says what to do; the frames of the migration say nothing to its reader. */
  override readonly stack = `MigrationFailed: ${this.reason}`
}

/** Every database of a release has it. */
const first_migration = "0001_baseline"

/** This version's migrations that the database lacks. Migrations of newer versions are ignored. */
const missing = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const applied = yield* sql<{ name: string }>`select name from schema_migration`
  const names = new Set(applied.map(({ name }) => name))
  if (names.size > 0 && !names.has(first_migration)) {
    return yield* new MigrationFailed({
      reason:
        "This database was created by an unreleased version of Tentpole and can't be migrated: export its contacts with that version, and point DATABASE_URL at an empty database",
      cause: null,
    })
  }
  return Object.entries(migrations).filter(([name]) => !names.has(name))
})

/** The SQL files are part of the package, but not of its build output. */
export const textOf = (file: string): string =>
  readFileSync(createRequire(import.meta.url).resolve(`@tentpole/adapters/migrations/${file}`), "utf8")

/** The statements of a file. Texts, names, bodies of functions and comments may contain semicolons. */
export const statementsOf = (text: string): ReadonlyArray<string> =>
  (text.match(/(?:--[^\n]*|'[^']*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^;])+/g) ?? []).filter(
    (statement) => statement.replaceAll(/--[^\n]*/g, "").trim() !== "",
  )

/**
 * One message to the server that executes all statements, one after the other. Nodes of Citus take only one at a time, and changes of
 * a schema in one transaction need one connection to each.
 */
export const inOneMessage = (statements: ReadonlyArray<string>): string =>
  `do $all$ declare each text; begin
    perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
    foreach each in array array[${statements.map((each) => `$each$${each}$each$`).join(", ")}] loop execute each; end loop;
  end $all$`

const run = (sql: PgClient.PgClient, file: string) => sql.unsafe(inOneMessage(statementsOf(textOf(file)))).unprepared

/** On Citus: the functions whose statements differ take the place of those that migrations create. */
export const replaceFunctions = (sql: PgClient.PgClient) => run(sql, "citus/functions.sql")

/** Whether `tentpole migrate --distribute` has distributed the tables. */
const hasDistributed = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [citus] = yield* sql`select 1 from pg_extension where extname = 'citus'`
  if (citus === undefined) return false
  const [table] = yield* sql`select 1 from pg_dist_partition where partmethod = 'h' limit 1`
  return table !== undefined
})

const pending = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  yield* lockMigrations(sql)
  const [server] = yield* sql<{ version: number }>`select current_setting('server_version_num')::int as version`
  if (server !== undefined && server.version < 150_000) {
    return yield* new MigrationFailed({
      reason: "PostgreSQL 15 or later is needed: point DATABASE_URL at a newer server",
      cause: null,
    })
  }
  yield* sql`create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now())`
  return yield* missing(sql)
})

const migrateAll = Effect.fnUntraced(function* () {
  const sql = yield* PgClient.PgClient
  const todo = yield* pending(sql)
  for (const [name, files] of todo) {
    for (const file of files) yield* run(sql, file)
    yield* sql`insert into schema_migration (name) values (${name})`
  }
  if (todo.length > 0 && (yield* hasDistributed(sql))) yield* replaceFunctions(sql)
  return todo.map(([name]) => name)
})

const explain = (error: SqlError.SqlError): MigrationFailed => {
  const { reason } = error
  const text: Partial<Record<typeof reason._tag, string>> = {
    ConnectionError:
      "PostgreSQL can't be reached: check DATABASE_URL (or DATABASE_MIGRATION_URL), and that the server is running and lets this machine in",
    AuthenticationError:
      "PostgreSQL refused the login: check the user and password in DATABASE_URL (or DATABASE_MIGRATION_URL)",
  }
  return new MigrationFailed({
    reason: text[reason._tag] ?? `The migration failed: ${reason.message}`,
    cause: error,
  })
}

const owner_needed =
  "run `tentpole migrate` with a DATABASE_MIGRATION_URL that names the owner of the database, with CREATEROLE (or with a role tentpole_service that an administrator has made, and granted to the login of DATABASE_URL)"

/** An owner without CREATEROLE can't create the role of the service. Returns the owner's name as SQL, or null. */
const ownerWithoutCreateRole = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [found] = yield* sql<{ owner: string }>`
    select quote_ident(rolname) as owner
    from pg_roles join pg_database on datname = current_database() and pg_has_role(datdba, 'usage')
    where rolname = current_user and not rolcreaterole and not rolsuper
      and not exists (select from pg_roles where rolname = 'tentpole_service')`
  return found?.owner ?? null
})

/** A login without the right to migrate succeeds when nothing is missing. Otherwise it fails with the missing migrations. */
const withoutTheRight = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  refused: SqlError.SqlError,
): Effect.fn.Return<ReadonlyArray<string>, MigrationFailed> {
  // A database without the migrations table, or with one that may not be read, has no migrations.
  const lacking = yield* Effect.catchTag(missing(sql), "SqlError", () => Effect.succeed(Object.entries(migrations)))
  if (lacking.length === 0) return []
  const owner = yield* Effect.orElseSucceed(ownerWithoutCreateRole(sql), () => null)
  if (owner !== null) {
    return yield* new MigrationFailed({
      reason: `The role ${owner} lacks CREATEROLE, and the migration creates the role tentpole_service: run \`alter role ${owner} createrole\` as an administrator of PostgreSQL`,
      cause: null,
    })
  }
  const names = lacking.map(([name]) => name)
  const some = names.length > 3 ? `${names.length}, from ${names[0]} to ${names.at(-1)}` : names.join(", ")
  return yield* new MigrationFailed({
    reason: `The database lacks migrations of this version (${some}), and this login may not make them: ${owner_needed}`,
    cause: refused,
  })
})

/** Connections of the owner. An error is a sentence that says what to do. */
export const asOwner = <A, E>(
  url: Redacted.Redacted,
  work: Effect.Effect<A, E, PgClient.PgClient>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | MigrationFailed> =>
  work.pipe(
    Effect.provide(
      Primary.layer({
        url,
        maxConnections: 2,
        connectTimeout: "5 seconds",
        applicationName: "tentpole migrate",
        // The service's role may be a default of the login.
        startupParameters: { timezone: "UTC", role: "none" },
      }),
    ),
    Effect.catchIf(
      (error): error is Extract<E | SqlError.SqlError, SqlError.SqlError> => SqlError.isSqlError(error),
      (error) => Effect.fail(explain(error)),
    ),
  ) as Effect.Effect<A, Exclude<E, SqlError.SqlError> | MigrationFailed>

/** Returns the names of the migrations that this call applied. */
export const migrate = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<string>, MigrationFailed> =>
  asOwner(
    url,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const attempted = sql.withTransaction(migrateAll())
      return yield* Effect.catchTag(
        attempted,
        "SqlError",
        (error): Effect.Effect<ReadonlyArray<string>, MigrationFailed> =>
          error.reason._tag === "AuthorizationError" ? withoutTheRight(sql, error) : Effect.fail(explain(error)),
      )
    }),
  )
