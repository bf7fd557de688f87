// Slices of listings by cursor. One row more than requested shows whether there is another slice.
import type { Cursor, Sliced } from "@tentpole/core/kernel/Page"

export const sliced = <A>(rows: ReadonlyArray<A>, limit: number, cursorOf: (item: A) => Cursor): Sliced<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}
