// Erasing a workspace: every table that has its id, whichever room made it, so that no new one can be forgotten here.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { queue_table } from "../../jobs/QueueTable.ts"
import { fenced } from "../kernel/Postgres.ts"

interface Table {
  readonly name: string
  /** The tables that its rows refer to. */
  readonly refers_to: ReadonlyArray<string>
}

/** Rows that a trigger deletes with those that they belong to, where a reference would be looked up for each. */
const dragged: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["delivery", ["blast"]],
  ["flow_event", ["flow_membership"]],
])

/** Of workspaces. The audit log outlives them. */
export const tables = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<Table>`
      select c.oid::regclass::text as name,
        array(select distinct f.confrelid::regclass::text from pg_constraint f
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers_to
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('workspace', 'audit_entry')
      order by 1`,
    (all) =>
      all.map(({ name, refers_to }): Table => ({ name, refers_to: [...refers_to, ...(dragged.get(name) ?? [])] })),
  )

/** Those whose rows are referred to come after those that refer to them: no row drags millions of others with it. */
export const childrenFirst = (all: ReadonlyArray<Table>): ReadonlyArray<string> => {
  const ordered: Array<string> = []
  let left = all
  while (left.length > 0) {
    const free = left.filter(({ name }) => !left.some((other) => other.refers_to.includes(name)))
    // In a circle nobody is free: any of them may go first, since references cascade.
    const next = free.length > 0 ? free : left.slice(0, 1)
    ordered.push(...next.map(({ name }) => name))
    left = left.filter((table) => !next.includes(table))
  }
  return ordered
}

/** Few enough for a statement's time, with everything that a row may drag along. */
const rows_at_once = 5000

/** Rows of other partitions at the same places are the workspace's too: they go a little earlier. */
const some = (sql: PgClient.PgClient, table: string, workspace: WorkspaceId) => sql`
  delete from ${sql.literal(table)} where workspace_id = ${workspace} and ctid = any(array(
    select ctid from ${sql.literal(table)} where workspace_id = ${workspace} limit ${rows_at_once}))
  returning 1`

export const erase = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  transact: Transactor["Service"]["transact"],
  workspace: WorkspaceId,
) {
  const within = <A, E, R>(statements: Effect.Effect<A, E, R>) => transact(fenced(sql)(workspace, statements))
  const order = childrenFirst(yield* within(tables(sql)))
  const emptied = Effect.forEach(
    order,
    (table) => within(some(sql, table, workspace)).pipe(Effect.repeat({ while: (gone) => gone.length > 0 })),
    { discard: true },
  )
  yield* emptied
  // Whoever still writes for it waits for the row, and then has nothing to refer to.
  yield* within(sql`delete from workspace where workspace_id = ${workspace} and deleted_at is not null`)
  yield* emptied
  yield* within(sql`delete from ${sql(queue_table)} where position(${workspace} in element) > 0 and state = 'pending'`)
})
