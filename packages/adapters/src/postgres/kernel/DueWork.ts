// The small global table that says which workspaces a worker has to look at. A row means "maybe".
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"

/** The kinds of work that workspaces wait for. */
export type DueKind = "blasts" | "deliveries" | "flows"

/** Makes a workspace due now, or leaves it if it already was. Goes with the write that made the work. */
export const makeDue = (sql: PgClient.PgClient, kind: DueKind, workspace: WorkspaceId) =>
  Effect.asVoid(sql`
    insert into due_work as w (kind, workspace_id, due_at) values (${kind}, ${workspace}, clock_timestamp())
    on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at)`)

/** Makes a workspace due at this time, or leaves it if it already was before. Goes with the write that made the work. */
export const makeDueAt = (sql: PgClient.PgClient, kind: DueKind, workspace: WorkspaceId, at: DateTime.Utc) =>
  Effect.asVoid(sql`
    insert into due_work as w (kind, workspace_id, due_at) values (${kind}, ${workspace}, ${DateTime.formatIso(at)})
    on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at)`)
