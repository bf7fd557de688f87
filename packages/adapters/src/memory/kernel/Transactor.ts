// Transactions in memory: one at a time, each on a copy. Only this file and PostgreSQL's transactor provide `Transaction`.
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { parsingBefore } from "@tentpole/core/ports/Parsers"
import { Effect, Exit, Layer } from "effect"
import { type StateRef, MemoryDatabase, Open } from "./MemoryDatabase.ts"

/** Runs a body in a transaction of this database, or of the open one. */
export const transactOn =
  ({ one, root }: Pick<MemoryDatabase["Service"], "one" | "root">): Transactor["Service"]["transact"] =>
  (body) =>
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

export const layer = Layer.effect(
  Transactor,
  Effect.map(MemoryDatabase, (db) => Transactor.of({ transact: transactOn(db) })),
)
