// An instant before the one of a column. A distributed database refuses `timestamptz - interval` in an update: it depends on the time
// zone of the session.
import type { PgClient } from "@effect/sql-pg"

export const earlier = (sql: PgClient.PgClient, column: string, by_ms: number) =>
  sql`(${sql.literal(column)} at time zone 'UTC' - make_interval(secs => ${by_ms / 1000})) at time zone 'UTC'`
