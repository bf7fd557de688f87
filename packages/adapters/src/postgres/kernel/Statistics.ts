// What PostgreSQL knows of its tables. A session keeps the plans that it made when a table was empty, and they are wrong for
// what a large import or a blast's audience has just put into it: autovacuum comes after a minute, whoever wrote asks at once.
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** For `sql.afterCommit`. Statistics may be old, never wrong: that they can't be renewed is no failure of what was written. */
export const renewStatistics = (sql: PgClient.PgClient) =>
  Effect.ignoreCause(sql`select tentpole_statistics()`, { log: "Debug" })
