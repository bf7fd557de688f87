// Erasure of a workspace. It finds every table with a `workspace_id` in the catalogue, so that no table can be forgotten.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { queue_table } from "../../jobs/QueueTable.ts"
import { fencedWrites } from "../kernel/Postgres.ts"
import { notifySites } from "../tents/PageInvalidation.ts"

interface Table {
  readonly name: string
  /** The tables that its rows refer to. */
  readonly refers_to: ReadonlyArray<string>
}

/** References without a foreign key, which would need a lookup for each row. */
const unconstrained: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["delivery", ["blast"]],
  ["delivery_click", ["blast"]],
  ["delivery_queue", ["blast"]],
  ["flow_event", ["flow_membership"]],
])

/** Tables with workspace data. The audit log is retained. */
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
      all.map(({ name, refers_to }): Table => ({
        name,
        refers_to: [...refers_to, ...(unconstrained.get(name) ?? [])],
      })),
  )

/** Orders tables so that referring rows are deleted first. No row then cascades to millions of others. */
export const childrenFirst = (all: ReadonlyArray<Table>): ReadonlyArray<string> => {
  const ordered: Array<string> = []
  let left = all
  while (left.length > 0) {
    const free = left.filter(({ name }) => !left.some((other) => other.refers_to.includes(name)))
    // In a reference cycle any table may be first, since references cascade.
    const next = free.length > 0 ? free : left.slice(0, 1)
    ordered.push(...next.map(({ name }) => name))
    left = left.filter((table) => !next.includes(table))
  }
  return ordered
}

/** Few enough for the statement timeout, including the rows that they cascade to. */
const rows_at_once = 5000

/** `ctid`s repeat between partitions. Matching rows of other partitions are the workspace's too and may be deleted early. */
const deleteSome = (sql: PgClient.PgClient, table: string, workspace: WorkspaceId) => sql`
  delete from ${sql.literal(table)} where workspace_id = ${workspace} and ctid = any(array(
    select ctid from ${sql.literal(table)} where workspace_id = ${workspace} limit ${rows_at_once}))
  returning 1`

export const erase = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  transact: Transactor["Service"]["transact"],
  workspace: WorkspaceId,
) {
  const within = <A, E, R>(statements: Effect.Effect<A, E, R>) => transact(fencedWrites(sql)(workspace, statements))
  const order = childrenFirst(yield* within(tables(sql)))
  const deleteRows = Effect.forEach(
    order,
    (table) =>
      within(deleteSome(sql, table, workspace)).pipe(Effect.repeat({ while: (deleted) => deleted.length > 0 })),
    { discard: true },
  )
  yield* deleteRows
  // A transaction that still writes for the workspace waits for this row and then fails its foreign key.
  yield* within(
    Effect.andThen(
      sql`delete from workspace where workspace_id = ${workspace} and deleted_at is not null`,
      notifySites(sql),
    ),
  )
  yield* deleteRows
  yield* within(
    sql`delete from ${sql(queue_table)} where workspace_id = ${workspace} and state not in ('completed', 'dead')`,
  )
})
