// Uses of a list by other rooms, which prevent its deletion. One statement reads them all.
import type { PgClient } from "@effect/sql-pg"
import type { ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { list_users_max, type ListUser, type ListUses } from "@tentpole/core/lists/ListUse"
import { Effect } from "effect"
import { flowsUsingList } from "../flows/FlowUses.ts"

interface UserRow {
  readonly type: ListUser["type"]
  readonly id: string
  readonly name: string
  readonly total: number
}

/**
 * The caller has locked the list. Every room that uses lists has a branch here. In the transaction that begins a use it locks
 * the list with `for key share`: blasts in `BlastFacts.ts`, rules in `ListStore.ts`, flows in `FlowFacts.ts`.
 */
export const listUses = (sql: PgClient.PgClient, workspace: WorkspaceId, id: ListId) =>
  Effect.map(
    sql<UserRow>`
      select u.type, u.id, u.name, (count(*) over ())::int as total
      from (
        select 'blast' as type, b.blast_id as id, b.name, b.name_folded
        from blast b
        where b.workspace_id = ${workspace} and b.audience_list_id = ${id} and b.status in ('scheduled', 'sending')
        union all
        select 'contact_list', l.list_id, l.name, l.name_folded
        from list l
        where l.workspace_id = ${workspace} and l.rules is not null
          and jsonb_path_exists(l.rules, '$.**.listId ? (@ == $id)', jsonb_build_object('id', ${id}::text))
        union all
        select 'flow', f.flow_id, f.name, f.name_folded from flow f where ${flowsUsingList(sql, workspace, id)}
      ) as u
      order by u.type, u.name_folded, u.id
      limit ${list_users_max}`,
    (rows): ListUses => ({
      users: rows.map(({ type, id: user, name }) => ({ type, id: user, name })),
      count: rows[0]?.total ?? 0,
    }),
  )
