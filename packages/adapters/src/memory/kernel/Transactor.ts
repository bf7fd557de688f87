// Transactions in memory: one at a time, each on a copy. Only this file and PostgreSQL's transactor provide `Transaction`.
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { parsingBefore } from "@tentpole/core/ports/Parsers"
import { Effect, Exit, Layer } from "effect"
import { type StateRef, MemoryDatabase, Open } from "./MemoryDatabase.ts"

export const layer = Layer.effect(
  Transactor,
  Effect.gen(function* () {
    const { root, one } = yield* MemoryDatabase
    const transact = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> =>
      Effect.flatMap(Open, (outer) => {
        const attempt = Effect.suspend(() => {
          const parent = outer ?? root
          const mine: StateRef = { state: parent.state }
          return body.pipe(
            Effect.provideService(Transaction, { open: true }),
            Effect.provideService(Open, mine),
            Effect.onExit((exit) =>
              Effect.sync(() => {
                if (Exit.isSuccess(exit)) parent.state = mine.state
              }),
            ),
          )
        })
        return outer === undefined ? parsingBefore(one.withPermit(attempt)) : attempt
      })
    return Transactor.of({ transact })
  }),
)
