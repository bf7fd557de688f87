// Slices of listings by cursor, newest first, ties by id. One row more than requested shows whether there is another slice.
import type { PgClient } from "@effect/sql-pg"
import { type Cursor, type Sliced, sliced } from "@tentpole/core/kernel/Page"
import { DateTime } from "effect"
import type { Statement } from "effect/sql"

/** A slice of items by the time of their creation. */
export const slicedByAge = <A extends { readonly id: string; readonly createdAt: DateTime.Utc }>(
  rows: ReadonlyArray<A>,
  limit: number,
): Sliced<A> => sliced(rows, limit, ({ createdAt, id }) => ({ at: createdAt.epochMilliseconds, id }))

/** Selects the rows of a slice. `at` and `id` are the columns of the cursor. */
export const newestRows = <Row extends object>(
  sql: PgClient.PgClient,
  { after, limit }: { readonly after: Cursor | null; readonly limit: number },
  it: {
    readonly columns: Statement.Fragment | string
    readonly from: Statement.Fragment | string
    readonly where: Statement.Fragment
    readonly at: string
    readonly id: string
  },
) => {
  const part = (text: Statement.Fragment | string) => (typeof text === "string" ? sql.literal(text) : text)
  const [at, id] = [sql.literal(it.at), sql.literal(it.id)]
  const cursorAt = after === null ? null : DateTime.formatIso(DateTime.makeUnsafe(after.at))
  const rest = after === null ? sql`true` : sql`(${at} < ${cursorAt} or (${at} = ${cursorAt} and ${id} > ${after.id}))`
  return sql<Row>`
    select ${part(it.columns)} from ${part(it.from)} where ${it.where} and ${rest}
    order by ${at} desc, ${id} limit ${limit + 1}`
}
