// The readiness check of the database: it answers and has all migrations of this version.
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { migrations } from "../migrations/All.ts"

export type DatabaseState = "ready" | "unavailable" | "not migrated"

/** Shorter than the two seconds within which readiness must be known. */
const patience = "1500 millis"

const names = Object.keys(migrations)

/** A database with newer migrations is ready: each migration keeps the previous version working. */
export const databaseState: Effect.Effect<DatabaseState, never, PgClient.PgClient> = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly done: number }>`
    select count(*)::int as done from schema_migration where name = any(${names}::text[])`,
).pipe(
  Effect.map(([row]): DatabaseState => (row?.done === names.length ? "ready" : "not migrated")),
  Effect.timeout(patience),
  Effect.orElseSucceed((): DatabaseState => "unavailable"),
)
