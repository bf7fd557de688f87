// Writes to `due_work`, the small global table of workspaces that a worker has to check, and to its hints.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DueKind } from "@tentpole/core/operations/overview/ServiceOverview"
import { DateTime, Effect } from "effect"

/** Makes a workspace due now, unless it already is. Runs in the transaction that creates the work. */
export const makeDue = (sql: PgClient.PgClient, kind: DueKind, workspace: WorkspaceId) =>
  Effect.asVoid(sql`
    insert into due_work as w (kind, workspace_id, due_at) values (${kind}, ${workspace}, clock_timestamp())
    on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at), token = w.token + 1`)

/** Makes a workspace due at a time, unless it is due earlier. Runs in the transaction that creates the work. */
export const makeDueAt = (sql: PgClient.PgClient, kind: DueKind, workspace: WorkspaceId, at: DateTime.Utc) =>
  Effect.asVoid(sql`
    insert into due_work as w (kind, workspace_id, due_at) values (${kind}, ${workspace}, ${DateTime.formatIso(at)})
    on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at)`)

/** Makes a workspace due at a time. Unlike `makeDueAt` it never waits for another transaction. */
export const hintDueAt = (
  sql: PgClient.PgClient,
  kind: Extract<DueKind, "flows" | "flow_events">,
  workspace: WorkspaceId,
  at: DateTime.Utc,
) => Effect.asVoid(sql`select hint_due(${kind}, ${workspace}, ${DateTime.formatIso(at)})`)
