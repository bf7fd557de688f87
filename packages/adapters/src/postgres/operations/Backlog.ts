// The backlog of all workspaces together, for monitoring.
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** The number of items of a queue in one state, and the age of the oldest. */
export interface Backlog {
  readonly queue: "due" | "deliveries" | "jobs" | "connections"
  /** The kind of due work or job, or the owner of connections. Otherwise empty. */
  readonly kind: string
  readonly state: string
  readonly items: number
  readonly oldest_s: number | null
}

/** One statement over counters and indexes of open work. The SQL function `tentpole_backlog` documents the details. */
export const backlog = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Backlog>`
    select queue, kind, state, items::float8 as items, oldest_s from tentpole_backlog() where kind is not null`,
)
