// How much waits to be done, of all workspaces together, for whoever watches the service.
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** So many of a queue's items are in a state, and the oldest has been for so long. */
export interface Backlog {
  readonly queue: "due" | "deliveries" | "jobs" | "connections"
  /** Of work that is due and of jobs: what is to be done. Of connections: whose they are. Else empty. */
  readonly kind: string
  readonly state: string
  readonly items: number
  readonly oldest_s: number | null
}

/** One statement, over kept counts and the indexes of what is open (`tentpole_backlog` says how). */
export const backlog = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Backlog>`
    select queue, kind, state, items::float8 as items, oldest_s from tentpole_backlog() where kind is not null`,
)
