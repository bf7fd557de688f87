// Conditions on `flow f` that find the flows that use something of another room: active ones by the index `flow_active`. The caller
// has locked what it checks. An activation locks the same (`FlowFacts.ts`), so of a concurrent deletion and activation the second
// sees the first.
import type { PgClient } from "@effect/sql-pg"
import type { EmailId, FieldDefinitionId, ListId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Statement } from "effect/sql"

type Sql = PgClient.PgClient

const active = (sql: Sql, workspace: WorkspaceId, condition: Statement.Fragment): Statement.Fragment =>
  sql`f.workspace_id = ${workspace} and f.status = 'active' and (${condition})`

const inSteps = (
  sql: Sql,
  key: "email_id" | "template_id" | "topic_id",
  id: string | Statement.Fragment,
): Statement.Fragment =>
  sql`f.structure->'steps' @> jsonb_build_array(jsonb_build_object(${sql.literal(`'${key}'`)}, ${id}::text))`

/** Flows with a step that sends this email or that created it. `id` may be a column. */
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

/** Flows with a step that creates emails or tents from this template. */
export const flowsUsingTemplate = (sql: Sql, workspace: WorkspaceId, id: string): Statement.Fragment =>
  active(sql, workspace, inSteps(sql, "template_id", id))

/** Flows with a trigger, condition or disqualification rule that names this list. */
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

/** Flows, not archived, with a step that sends mail of this topic. */
export const flowsUsingTopic = (sql: Sql, workspace: WorkspaceId, id: TopicId): Statement.Fragment =>
  sql`f.workspace_id = ${workspace} and f.status <> 'archived' and ${inSteps(sql, "topic_id", id)}`

/** Flows, not archived, with a trigger, condition or disqualification rule that names this custom field. */
export const flowsUsingField = (
  sql: Sql,
  workspace: WorkspaceId,
  id: FieldDefinitionId,
  apiName: string,
): Statement.Fragment => {
  const named = sql.literal(`'$.**.fieldDefinitionId ? (@ == $id)'`)
  const it = sql`jsonb_build_object('id', ${id}::text)`
  return sql`f.workspace_id = ${workspace} and f.status <> 'archived' and (
    f.structure->'triggers' @> jsonb_build_array(jsonb_build_object('field', ${apiName}::text))
    or jsonb_path_exists(f.structure->'steps', ${named}, ${it})
    or jsonb_path_exists(f.structure->'disqualification_rules', ${named}, ${it}))`
}
