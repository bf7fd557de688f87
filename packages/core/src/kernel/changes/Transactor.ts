// Transactions. Writing methods of ports require `Transaction`, and only `Transactor.transact` provides it, so that a write
// outside a transaction does not compile.
import { Context, type Effect } from "effect"

/** Proof that a transaction is open. */
export class Transaction extends Context.Service<Transaction, { readonly open: true }>()("tentpole/Transaction") {}

/**
 * Opens transactions. `transact(body)` commits if `body` succeeds and rolls back if it fails, dies or is interrupted.
 * Serialization failures and deadlocks are retried a bounded number of times, so a body must be safe to run again.
 * It is also run again when a decision needs a parsing thread: the input is parsed while no transaction is open. A `transact` inside
 * a `transact` is a savepoint.
 */
export class Transactor extends Context.Service<
  Transactor,
  {
    readonly transact: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Transaction>>
  }
>()("tentpole/Transactor") {}
