// Renewal of PostgreSQL's table statistics. Sessions keep plans from when a table was empty, which are wrong after a large
// import or audience pass. Autovacuum comes after a minute, so large writes renew the statistics at once.
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** For `sql.afterCommit`. Failures are ignored: the write is committed, and outdated statistics are only slow. */
export const renewStatistics = (sql: PgClient.PgClient) =>
  Effect.ignoreCause(sql`select tentpole_statistics()`, { log: "Debug" })
