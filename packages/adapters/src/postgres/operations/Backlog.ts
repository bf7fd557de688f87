// The backlog of all workspaces together, for monitoring.
import { PgClient } from "@effect/sql-pg"
import type { Backlog } from "@tentpole/core/operations/overview/ServiceOverview"
import { Effect } from "effect"

/** One statement over counters and indexes of open work. The SQL function `tentpole_backlog` documents the details. */
export const backlog = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Backlog>`
    select queue, kind, state, items::float8 as items, oldest_s from tentpole_backlog() where kind is not null`,
)
