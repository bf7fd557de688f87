// Which active flows use something of another room, on PostgreSQL: conditions on `flow f`, over the few that are active
// (index `flow_active`). Whoever asks has what it asks of locked; an activation locks it too (`FlowFacts.ts`), so that of a
// deletion and an activation at once the second sees the first.
import type { PgClient } from "@effect/sql-pg"
import type { EmailId, ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Statement } from "effect/sql"

type Sql = PgClient.PgClient

const active = (sql: Sql, workspace: WorkspaceId, condition: Statement.Fragment): Statement.Fragment =>
  sql`f.workspace_id = ${workspace} and f.status = 'active' and (${condition})`

const inSteps = (sql: Sql, key: "email_id" | "template_id", id: string | Statement.Fragment): Statement.Fragment =>
  sql`f.structure->'steps' @> jsonb_build_array(jsonb_build_object(${sql.literal(`'${key}'`)}, ${id}::text))`

/** Those that send this email by one of their steps, or have made it by one; also for the emails of a column. */
export const flowsUsingEmail = (
  sql: Sql,
  workspace: WorkspaceId,
  id: EmailId | Statement.Fragment,
): Statement.Fragment =>
  active(
    sql,
    workspace,
    sql`${inSteps(sql, "email_id", id)} or exists (
      select from flow_email m
      where m.workspace_id = ${workspace} and m.email_id = ${id} and m.flow_id = f.flow_id)`,
  )

/** Those that make emails or tents from this template. */
export const flowsUsingTemplate = (sql: Sql, workspace: WorkspaceId, id: string): Statement.Fragment =>
  active(sql, workspace, inSteps(sql, "template_id", id))

/** Those that one of their triggers, conditions or disqualification rules names the list in. */
export const flowsUsingList = (sql: Sql, workspace: WorkspaceId, id: ListId): Statement.Fragment => {
  const named = sql.literal(`'$.**.listId ? (@ == $id)'`)
  const it = sql`jsonb_build_object('id', ${id}::text)`
  return active(
    sql,
    workspace,
    sql`f.structure->'triggers' @> jsonb_build_array(jsonb_build_object('list_id', ${id}::text))
      or jsonb_path_exists(f.structure->'steps', ${named}, ${it})
      or jsonb_path_exists(f.structure->'disqualification_rules', ${named}, ${it})`,
  )
}
