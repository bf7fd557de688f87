// `Transactor` on PostgreSQL. Only this file and its memory twin provide `Transaction`.
import { PgClient } from "@effect/sql-pg"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { parsingBefore } from "@tentpole/core/ports/Parsers"
import { Effect, Layer, Random } from "effect"
import { OpenOutbox, PendingOutbox } from "./Outbox.ts"
import { conflictOf, drawShard, OpenTransaction, orDefect } from "./Postgres.ts"

/** Attempts of a transaction before its conflict is answered with 503. */
const attempts_max = 6

export const layer = Layer.effect(
  Transactor,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const once = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> =>
      Effect.flatMap(Effect.all([OpenOutbox, drawShard]), ([outer, shard]) => {
        const outbox = new PendingOutbox()
        const end = outer === undefined ? outbox.write(sql) : Effect.sync(() => outer.add(outbox))
        return orDefect(
          sql.withTransaction(
            Effect.tap(body, end).pipe(
              Effect.provideService(Transaction, { open: true }),
              Effect.provideService(OpenTransaction, { workspace: undefined, shard }),
              Effect.provideService(OpenOutbox, outbox),
            ),
          ),
        )
      }) as Effect.Effect<A, E, Exclude<R, Transaction>>

    const again = <A, E, R>(
      body: Effect.Effect<A, E, R>,
      attempt: number,
    ): Effect.Effect<A, E, Exclude<R, Transaction>> =>
      Effect.catchCause(once(body), (cause) => {
        if (conflictOf(cause) === undefined) return Effect.failCause(cause)
        if (attempt >= attempts_max) return Effect.die(new Unavailable({ part: "database" }))
        return Random.nextBetween(5, 20 * 2 ** attempt).pipe(
          Effect.flatMap((pause_ms) => Effect.sleep(pause_ms)),
          Effect.andThen(again(body, attempt + 1)),
        )
      })

    const transact = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> =>
      // A savepoint cannot resolve a conflict: only the outermost transaction is repeated.
      Effect.flatMap(OpenTransaction, (open) => (open === undefined ? parsingBefore(again(body, 1)) : once(body)))

    return Transactor.of({ transact })
  }),
)
