// Stored counts of contacts: of all contacts, and of static lists. Every statement that inserts or deletes rows moves them.
import type { PgClient } from "@effect/sql-pg"
import type { ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { loneCondition, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { counterShard } from "../kernel/Postgres.ts"
import type { AudienceList } from "../segments/RuleSql.ts"

type Sql = PgClient.PgClient

/** Reads a stored count, in the caller's fence. */
export type StoredCount = (sql: Sql) => Effect.Effect<number, SqlError.SqlError>

export const storedContactCount =
  (workspace: WorkspaceId): StoredCount =>
  (sql) =>
    Effect.map(
      sql<{ readonly total: number }>`
        select coalesce(sum(contacts), 0)::int as total from contact_tally where workspace_id = ${workspace}`,
      ([row]) => row?.total ?? 0,
    )

/** A statement that adds to the numbers of contacts, and of those that are unsubscribed altogether, or a part of a WITH. */
export const moveContactCount = (
  sql: Sql,
  workspace: WorkspaceId,
  by: { readonly contacts: number; readonly unsubscribed: number },
) =>
  Effect.map(
    counterShard(64),
    (shard) => sql`
      insert into contact_tally as t (workspace_id, shard, contacts, unsubscribed)
      values (${workspace}, ${shard}::smallint, ${by.contacts}::int, ${by.unsubscribed}::int)
      on conflict (workspace_id, shard) do update set
        contacts = t.contacts + excluded.contacts, unsubscribed = t.unsubscribed + excluded.unsubscribed`,
  )

/**
 * Counts the inserted (1) or deleted (-1) rows of `moved (list_id)` in their lists, which the transaction has locked. The end of
 * the WITH that writes these rows, or a part of it.
 */
export const moveMemberCounts = (sql: Sql, workspace: WorkspaceId, sign: 1 | -1): Statement.Fragment => sql`
  update list l set member_count = l.member_count + m.difference
  from (select list_id, ${sign}::int * count(*)::int as difference from moved group by list_id) as m
  where l.workspace_id = ${workspace} and l.list_id = m.list_id`

const storedMemberCount =
  (workspace: WorkspaceId, list: ListId): StoredCount =>
  (sql) =>
    Effect.map(
      sql<{ readonly total: number }>`
        select member_count as total from list where workspace_id = ${workspace} and list_id = ${list}`,
      ([row]) => row?.total ?? 0,
    )

/** The stored count of a tree whose only condition is membership of one list; null for other trees. */
export const storedTreeCount = (workspace: WorkspaceId, tree: RuleTree): StoredCount | null => {
  const only = loneCondition(tree)
  return only?.source === "list_membership" && only.operator === "is_member"
    ? storedMemberCount(workspace, only.listId)
    : null
}

/** The stored count of a list; null when its members must be counted. */
export const storedListCount = (workspace: WorkspaceId, list: AudienceList): StoredCount | null => {
  switch (list.kind) {
    case "static":
      return storedMemberCount(workspace, list.id)
    case "dynamic":
      return list.rules === null ? null : storedTreeCount(workspace, list.rules)
    case "system":
      return list.systemList === "all_contacts" ? storedContactCount(workspace) : null
  }
}
