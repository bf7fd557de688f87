// Housekeeping on PostgreSQL. Partitions are made by a function with its owner's rights: the service may make no tables.
import { PgClient } from "@effect/sql-pg"
import { event_days_kept, Housekeeper, keys_forgotten_at_once } from "@tentpole/core/Housekeeper"
import { IdempotencyStore } from "@tentpole/core/idempotency/IdempotencyStore"
import { Outbox } from "@tentpole/core/Outbox"
import { Transactor } from "@tentpole/core/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Effect, Layer } from "effect"
import { orDefect } from "./Postgres.ts"
import { renewStatistics } from "./Statistics.ts"

export const layer = Layer.effect(
  Housekeeper,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const workspaces = yield* WorkspaceStore
    const outbox = yield* Outbox
    const keys = yield* IdempotencyStore
    const { transact } = yield* Transactor
    return Housekeeper.of({
      tidy: Effect.gen(function* () {
        yield* orDefect(sql`
          select tentpole_partitions('activity'), tentpole_partitions('page_view'), tentpole_partitions('page_visitor_day'),
            tentpole_partitions('workspace_visitor_day'), tentpole_forget_traffic()`)
        yield* renewStatistics(sql)
        for (const { id } of yield* workspaces.all) {
          yield* transact(outbox.forget(id, event_days_kept))
          yield* transact(keys.forget(id, keys_forgotten_at_once)).pipe(
            Effect.repeat({ while: (gone) => gone === keys_forgotten_at_once }),
          )
        }
      }),
    })
  }),
)
