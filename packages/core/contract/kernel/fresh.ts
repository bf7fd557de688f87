// A new workspace for each contract test, so that nothing has to be deleted between tests.
import { Context, DateTime, Effect, Layer } from "effect"
import { Ids, WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceChange, type WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"

export class Fresh extends Context.Service<
  Fresh,
  {
    /** A new workspace on plan `max` with 1,000 credits, or with the fields given. */
    readonly workspace: (fields?: WorkspaceFields) => Effect.Effect<WorkspaceId>
    readonly id: Effect.Effect<string>
  }
>()("tentpole/contract/Fresh") {
  static readonly layer = Layer.effect(
    Fresh,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      return Fresh.of({
        id: ids.next,
        workspace: (fields = {}) =>
          Effect.gen(function* () {
            const id = WorkspaceId.make(yield* ids.random)
            const all = { name: `test ${id}`, slug: `test-${id}`, plan: "max", credits: 1000, ...fields } as const
            const change = yield* Effect.fromResult(WorkspaceChange.create(id, all, DateTime.makeUnsafe(0)))
            yield* transact(store.apply(change))
            return id
          }).pipe(Effect.orDie),
      })
    }),
  )
}
