// Counts that nobody counts: of all contacts, and of a static list's members, kept by the statements that move them.
import type { PgClient } from "@effect/sql-pg"
import type { ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { loneCondition, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { AudienceList } from "../segments/RuleSql.ts"

type Sql = PgClient.PgClient

/** Asks for a count, within the fence of whoever asks. */
export type KeptCount = (sql: Sql) => Effect.Effect<number, SqlError.SqlError>

export const contactsKept =
  (workspace: WorkspaceId): KeptCount =>
  (sql) =>
    Effect.map(
      sql<{ readonly total: number }>`
        select coalesce(sum(contacts), 0)::int as total from contact_tally where workspace_id = ${workspace}`,
      ([row]) => row?.total ?? 0,
    )

const membersKept =
  (workspace: WorkspaceId, list: ListId): KeptCount =>
  (sql) =>
    Effect.map(
      sql<{ readonly total: number }>`
        select member_count as total from list where workspace_id = ${workspace} and list_id = ${list}`,
      ([row]) => row?.total ?? 0,
    )

/** Of a tree that asks nothing but who is on a list. */
export const treeKept = (workspace: WorkspaceId, tree: RuleTree): KeptCount | null => {
  const only = loneCondition(tree)
  return only?.source === "list_membership" && only.operator === "is_member"
    ? membersKept(workspace, only.listId)
    : null
}

/** Of a list that has one; null where its members must be counted. */
export const listKept = (workspace: WorkspaceId, list: AudienceList): KeptCount | null => {
  switch (list.kind) {
    case "static":
      return membersKept(workspace, list.id)
    case "dynamic":
      return list.rules === null ? null : treeKept(workspace, list.rules)
    case "system":
      return list.systemList === "all_contacts" ? contactsKept(workspace) : null
  }
}
