// Statements by hand that write many rows: each column is an array, and `unnest` makes rows of them.
import type { PgClient, PgTypes } from "@effect/sql-pg"
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
export const unnested = <Item>(columns: ReadonlyArray<BareColumn<Item>>, items: ReadonlyArray<Item>) => ({
  rows: `unnest(${columns.map(({ type }, at) => `$${at + 2}::${type}[]`).join(", ")}) as u (${columns.map(({ name }) => name).join(", ")})`,
  values: columns.map(({ values }) => values(items)),
})

/** Runs the statements in one transaction. */
export const runBare = (sql: PgClient.PgClient, statements: ReadonlyArray<Statement>) =>
  sql.withTransaction(
    Effect.forEach(statements, ({ text, parameters }) => sql.unsafe(text, parameters), { discard: true }),
  )
