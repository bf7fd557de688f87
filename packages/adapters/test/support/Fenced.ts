// Statements of tests as a workspace, in the open transaction or in one of their own.
import type { PgClient } from "@effect/sql-pg"
import { OpenTransaction, orDefect } from "@tentpole/adapters/postgres/kernel/Postgres"
import { service_role } from "@tentpole/adapters/postgres/kernel/Session"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"

export const fenced =
  (sql: PgClient.PgClient) =>
  <A, E, R>(workspace: WorkspaceId, statements: Effect.Effect<A, E, R>) => {
    const fence = sql<{ readonly instant: string }>`
      select clock_timestamp()::text as instant, fence_to(${workspace}), set_config('role', ${service_role}, true)`
    const run = (open: OpenTransaction) => {
      open.workspace = workspace
      const fencing = Effect.map(fence, ([row]) => {
        if (row !== undefined) open.instant = row.instant
      })
      return Effect.andThen(fencing, statements)
    }
    return orDefect(
      Effect.flatMap(OpenTransaction, (open) => {
        if (open !== undefined) return run(open)
        const own: OpenTransaction = { workspace }
        return sql.withTransaction(Effect.provideService(run(own), OpenTransaction, own))
      }),
    )
  }
