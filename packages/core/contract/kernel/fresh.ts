// A new workspace for each contract test, so that nothing has to be deleted between tests.
import { Context, DateTime, Effect, Layer } from "effect"
import { Ids, WorkspaceId } from "../../src/kernel/Ids.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceChange, type WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"

export class Fresh extends Context.Service<
  Fresh,
  {
    /** A new workspace on plan `max` with 1,000 credits, or with the fields given. `test_consumer` reads its events. */
    readonly workspace: (fields?: WorkspaceFields) => Effect.Effect<WorkspaceId>
    /** A new workspace without a consumer. */
    readonly unreadWorkspace: Effect.Effect<WorkspaceId>
    readonly id: Effect.Effect<string>
  }
>()("tentpole/contract/Fresh") {
  static readonly layer = Layer.effect(
    Fresh,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const outbox = yield* Outbox
      const create = Effect.fnUntraced(function* (fields: WorkspaceFields) {
        const id = WorkspaceId.make(yield* ids.random)
        const all = { name: `test ${id}`, slug: `test-${id}`, plan: "max", credits: 1000, ...fields } as const
        yield* store.apply(yield* Effect.fromResult(WorkspaceChange.create(id, all, DateTime.makeUnsafe(0))))
        return id
      }, Effect.orDie)
      return Fresh.of({
        id: ids.next,
        workspace: (fields = {}) =>
          transact(Effect.tap(create(fields), (workspace) => outbox.subscribe(workspace, test_consumer))),
        unreadWorkspace: transact(create({})),
      })
    }),
  )
}

/** The consumer that reads the events of fresh workspaces in tests. */
export const test_consumer = "test"
