// Pages of listings by cursor, in memory: newest first, ties by id.
import type { SliceQuery } from "@tentpole/core/operations/administration/AdministrationStore"
import type { Cursor, Sliced } from "@tentpole/core/kernel/Page"
import { byCodePoint } from "@tentpole/core/kernel/Text"

const compare = (left: Cursor, right: Cursor): number => right.at - left.at || byCodePoint(left.id, right.id)

export const newest = <A>(
  rows: ReadonlyArray<A>,
  { after, limit }: SliceQuery,
  cursorOf: (item: A) => Cursor,
): Sliced<A> => {
  const rest = rows
    .filter((row) => after === null || compare(after, cursorOf(row)) < 0)
    .sort((left, right) => compare(cursorOf(left), cursorOf(right)))
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rest.length > limit && last !== undefined ? cursorOf(last) : null }
}
