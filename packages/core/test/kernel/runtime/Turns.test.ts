import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { serveTurns } from "@tentpole/core/kernel/runtime/Turns"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const workspaces = Array.from({ length: 45 }, (_, at) =>
  WorkspaceId.make(`00000000-0000-4000-8000-${String(at).padStart(12, "0")}`),
)

describe("serveTurns", () => {
  it.effect("serves all that are due, batch by batch, also when one fails", () =>
    Effect.gen(function* () {
      const waiting = [...workspaces]
      const served: Array<WorkspaceId> = []
      let calls = 0
      yield* serveTurns({
        take: (limit) => Effect.sync(() => (calls++, waiting.splice(0, limit))),
        workspaceOf: (workspace) => workspace,
        serve: (workspace) =>
          workspace === workspaces[3] ? Effect.fail("broken") : Effect.sync(() => void served.push(workspace)),
        failure: "it is broken",
        concurrency: 2,
      })
      assert.deepStrictEqual(
        served.toSorted(),
        workspaces.filter((each) => each !== workspaces[3]),
      )
      assert.strictEqual(calls, 3)
    }),
  )
})
