// Statements of tests as a workspace, in the open transaction or in one of their own.
import type { PgClient } from "@effect/sql-pg"
import { OpenTransaction, orDefect } from "@tentpole/adapters/postgres/kernel/Postgres"
import { service_role } from "@tentpole/adapters/postgres/kernel/Session"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"

export const fenced =
  (sql: PgClient.PgClient) =>
  <A, E, R>(workspace: WorkspaceId, statements: Effect.Effect<A, E, R>) => {
    const fence = sql`
      select set_config('tentpole.workspace_id', ${workspace}, true), set_config('role', ${service_role}, true)`
    const run = (open: OpenTransaction) => {
      open.workspace = workspace
      return Effect.andThen(fence, statements)
    }
    return orDefect(
      Effect.flatMap(OpenTransaction, (open) => {
        if (open !== undefined) return run(open)
        const own: OpenTransaction = { workspace }
        return sql.withTransaction(Effect.provideService(run(own), OpenTransaction, own))
      }),
    )
  }
