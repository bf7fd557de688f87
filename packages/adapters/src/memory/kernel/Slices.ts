// Orders and pages of listings in memory.
import type { Cursor, Paged, PageRequest, Sliced, SliceQuery } from "@tentpole/core/kernel/Page"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import type { DateTime } from "effect"

interface Aged {
  readonly id: string
  readonly createdAt: DateTime.Utc
}

export const byId = (left: Pick<Aged, "id">, right: Pick<Aged, "id">): number => (left.id < right.id ? -1 : 1)

/** Oldest first, ties by id. */
export const byAge = (left: Aged, right: Aged): number =>
  left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds || byId(left, right)

const cursorOf = ({ createdAt, id }: Aged): Cursor => ({ at: createdAt.epochMilliseconds, id })

const compareCursors = (left: Cursor, right: Cursor): number => right.at - left.at || byId(left, right)

/** Newest first, ties by id. */
export const byNewest = (left: Aged, right: Aged): number => compareCursors(cursorOf(left), cursorOf(right))

/** Named users of one type, in the order of their folded names, ties by id. */
export const namesOf = <Type extends string, Id extends string>(
  type: Type,
  users: ReadonlyArray<{ readonly id: Id; readonly name: string }>,
) =>
  users
    .map(({ id, name }) => ({ type, id, name }))
    .sort((left, right) => byCodePoint(fold(left.name), fold(right.name)) || byCodePoint(left.id, right.id))

export type SortValue = string | DateTime.Utc | null

const compare = (left: string | DateTime.Utc, right: string | DateTime.Utc): number =>
  typeof left === "string" || typeof right === "string"
    ? byCodePoint(fold(String(left)), fold(String(right)))
    : left.epochMilliseconds - right.epochMilliseconds

/** Text in folded code point order, null last in both orders, ties by id ascending. */
export const inOrder = <Row>(
  rows: ReadonlyArray<Row>,
  order: "asc" | "desc",
  keys: { readonly value: (row: Row) => SortValue; readonly id: (row: Row) => string },
): ReadonlyArray<Row> => {
  const way = order === "asc" ? 1 : -1
  return rows.toSorted((a, b) => {
    const [left, right] = [keys.value(a), keys.value(b)]
    const ties = keys.id(a) < keys.id(b) ? -1 : 1
    if (left === null || right === null) return left === right ? ties : left === null ? 1 : -1
    return way * compare(left, right) || ties
  })
}

export const paged = <A>({ page, limit }: PageRequest, all: ReadonlyArray<A>): Paged<A> => ({
  items: all.slice((page - 1) * limit, page * limit),
  total: all.length,
})

/** A page by cursor: newest first, ties by id. */
export const newest = <A extends Aged>(rows: ReadonlyArray<A>, { after, limit }: SliceQuery): Sliced<A> => {
  const rest = rows.filter((row) => after === null || compareCursors(after, cursorOf(row)) < 0).toSorted(byNewest)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rest.length > limit && last !== undefined ? cursorOf(last) : null }
}
