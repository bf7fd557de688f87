// Statements by hand that write many rows: each column is an array, and `unnest` makes rows of them.
import type { PgClient, PgTypes } from "@effect/sql-pg"
import { texts } from "@tentpole/adapters/postgres/kernel/Arrays"
import { Effect } from "effect"

export interface BareColumn<Item> {
  readonly name: string
  readonly type: string
  readonly values: (items: ReadonlyArray<Item>) => PgTypes.Parameter
}

export interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** The items as rows under the alias `u`, in parameters from $2 on: $1 is the workspace. */
const unnested = <Item>(columns: ReadonlyArray<BareColumn<Item>>, items: ReadonlyArray<Item>) => ({
  rows: `unnest(${columns.map(({ type }, at) => `$${at + 2}::${type}[]`).join(", ")}) as u (${columns.map(({ name }) => name).join(", ")})`,
  values: columns.map(({ values }) => values(items)),
})

/** Inserts or updates contacts. The first column is their id. `constants`: columns with the same value in each row. */
export const writeContacts = <Item>(
  verb: "insert" | "update",
  workspace: string,
  columns: ReadonlyArray<BareColumn<Item>>,
  items: ReadonlyArray<Item>,
  constants: Readonly<Record<string, string>> = {},
): Statement => {
  const { rows, values } = unnested(columns, items)
  const written = [...columns.map(({ name }) => [name, `u.${name}`]), ...Object.entries(constants)]
  const names = written.map(([name]) => name).join(", ")
  const selected = written.map(([, value]) => value).join(", ")
  const assigned = written.slice(1).map(([name, value]) => `${name} = ${value}`)
  const text =
    verb === "insert"
      ? `with counted as (
          insert into contact_tally as t (workspace_id, shard, contacts) values ($1::uuid, 0, ${items.length})
          on conflict (workspace_id, shard) do update set contacts = t.contacts + excluded.contacts)
        insert into contact (workspace_id, ${names}) select $1::uuid, ${selected} from ${rows}`
      : `update contact c set ${assigned.join(", ")} from ${rows}
        where c.workspace_id = $1::uuid and c.contact_id = u.contact_id`
  return { text, parameters: [workspace, ...values] }
}

export interface BareActivity {
  readonly contact_id: string
  readonly type: string
  /** As JSON. */
  readonly metadata: string
  /** Now unless it is set. */
  readonly at?: string
}

/** The activities. There are no events: the workspace has no consumer. */
export const recordActivities = (workspace: string, activities: ReadonlyArray<BareActivity>): Statement => {
  const now = new Date().toISOString()
  return {
    text: `insert into activity (workspace_id, contact_id, at, type, metadata)
      select $1::uuid, u.* from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::jsonb[]) as u`,
    parameters: [
      workspace,
      texts(activities.map(({ contact_id }) => contact_id)),
      texts(activities.map(({ at = now }) => at)),
      texts(activities.map(({ type }) => type)),
      texts(activities.map(({ metadata }) => metadata)),
    ],
  }
}

/** Runs the statements in one transaction. */
export const runBare = (sql: PgClient.PgClient, statements: ReadonlyArray<Statement>) =>
  sql.withTransaction(
    Effect.forEach(statements, ({ text, parameters }) => sql.unsafe(text, parameters), { discard: true }),
  )
