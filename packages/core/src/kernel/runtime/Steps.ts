// Long computations in steps: other requests continue between two of them.
import { Effect, Semaphore } from "effect"

/** It yields after each step, which takes a few milliseconds at most. */
export type Steps<A> = Generator<void, A>

/** Of all computations, one step runs in each turn of the event loop. The first step runs at once. */
export const inSteps = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const { done, value } = steps.next()
    return done === true ? Effect.succeed(value) : rest(steps)
  })

const rest = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (;;) {
    const { done, value } = yield* inTurn(steps)
    if (done === true) return value
  }
})

const turns = Semaphore.makeUnsafe(1)

/** The next step, in a turn of the event loop without another one. */
export const inTurn = <Item, A>(steps: Generator<Item, A>): Effect.Effect<IteratorResult<Item, A>> =>
  turns.withPermit(
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => steps.next()),
    ),
  )

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
