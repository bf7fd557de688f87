// A write needs an open transaction, and only a transactor opens one. The compiler holds this: writing methods of
// ports ask for `Transaction`, and nothing but `Transactor.transact` takes it away again.
import { Context, type Effect } from "effect"

/** Proof that a transaction is open. A write outside one does not compile. */
export class Transaction extends Context.Service<Transaction, { readonly open: true }>()("tentpole/Transaction") {}

/**
 * Opens transactions. `transact(body)` commits when `body` succeeds and leaves nothing behind when it fails, dies or is
 * interrupted. Conflicts of the database (serialization failure, deadlock) are retried a bounded number of times, so a
 * body must be safe to run again from its start. A `transact` inside a `transact` is a savepoint.
 */
export class Transactor extends Context.Service<
  Transactor,
  {
    readonly transact: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Transaction>>
  }
>()("tentpole/Transactor") {}
