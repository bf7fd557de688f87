// The row that each workspace has on its node.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Statement } from "effect/sql"

/**
 * For an INSERT … SELECT that reads another part of its WITH: `select home.workspace_id, … from ${homeOf(sql, workspace)} cross join …`.
 * Citus then runs it on the node of the workspace. With a parameter as the workspace it would send the rows of that part to all
 * nodes, and fail while one is dead.
 */
export const homeOf = (sql: PgClient.PgClient, workspace: WorkspaceId): Statement.Fragment =>
  sql`(select workspace_id from workspace_home where workspace_id = ${workspace}) as home`
