// Runs two transactions of which the second begins while the first has its locks.
import { Deferred, Effect, Fiber } from "effect"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"

/** Starts `first`, then `second` once `first` has its locks; lets `first` go on when `second` must be waiting. */
export const twoAtOnce = <A, E, B, F, R1, R2>(
  first: (held: Effect.Effect<void>) => Effect.Effect<A, E, R1>,
  second: Effect.Effect<B, F, R2>,
) =>
  Effect.gen(function* () {
    const { transact } = yield* Transactor
    const held = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const wait = Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(go))
    const one = yield* Effect.forkChild(Effect.result(transact(first(wait))))
    // A transaction that ends before it locks anything must not block the test.
    yield* Effect.raceFirst(Deferred.await(held), Fiber.await(one))
    const two = yield* Effect.forkChild(Effect.result(transact(second)))
    yield* Effect.sleep("100 millis")
    yield* Deferred.succeed(go, undefined)
    return [yield* Fiber.join(one), yield* Fiber.join(two)] as const
  })
