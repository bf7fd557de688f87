// Long computations in steps: other requests continue between two of them.
import { Effect } from "effect"

/** It yields after each step, which takes a few milliseconds at most. */
export type Steps<A> = Generator<void, A>

export const inSteps = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    yield* Effect.yieldNow
  }
})

/** Each item is a step. */
export function* mapInSteps<Item, A>(
  items: ReadonlyArray<Item>,
  map: (item: Item, index: number) => A,
): Steps<ReadonlyArray<A>> {
  const mapped: Array<A> = []
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index))
    yield
  }
  return mapped
}
