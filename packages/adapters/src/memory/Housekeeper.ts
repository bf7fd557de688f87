// Housekeeping in memory: there is no room to make, only events to forget.
import { event_days_kept, Housekeeper, keys_forgotten_at_once } from "@tentpole/core/Housekeeper"
import { IdempotencyStore } from "@tentpole/core/idempotency/IdempotencyStore"
import { Outbox } from "@tentpole/core/Outbox"
import { Transactor } from "@tentpole/core/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Effect, Layer } from "effect"

export const layer = Layer.effect(
  Housekeeper,
  Effect.gen(function* () {
    const workspaces = yield* WorkspaceStore
    const outbox = yield* Outbox
    const keys = yield* IdempotencyStore
    const { transact } = yield* Transactor
    return Housekeeper.of({
      tidy: Effect.gen(function* () {
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
