// Whether the database can serve this version of the code: it answers, and has all of its migrations.
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { migrations } from "../migrations/All.ts"

export type DatabaseState = "ready" | "unavailable" | "not migrated"

/** Less than the two seconds within which the truth is to be known. */
const patience = "1500 millis"

const names = Object.keys(migrations)

/** A database that is newer than the code is ready: each migration leaves the version before it working. */
export const databaseState: Effect.Effect<DatabaseState, never, PgClient.PgClient> = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly done: number }>`
    select count(*)::int as done from schema_migration where name = any(${names}::text[])`,
).pipe(
  Effect.map(([row]): DatabaseState => (row?.done === names.length ? "ready" : "not migrated")),
  Effect.timeout(patience),
  Effect.orElseSucceed((): DatabaseState => "unavailable"),
)
