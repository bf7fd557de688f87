import { ImportRunId, WorkspaceId } from "@tentpole/core/Ids"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { importRun } from "@tentpole/worker/ImportRuns"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"

const job = {
  type: "import_run",
  workspaceId: WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  runId: ImportRunId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12"),
} as const

const attempted = Effect.fnUntraced(function* (attempt: number, run: Effect.Effect<void>) {
  let givenUp = false
  const runs = Layer.mock(ImportRuns)({
    run: () => run,
    giveUp: () => Effect.sync(() => void (givenUp = true)),
  })
  const exit = yield* Effect.exit(importRun(job, { id: "import_run:x", attempt }).pipe(Effect.provide(runs)))
  return { failed: Exit.isFailure(exit), givenUp }
})

it.effect("a run is given up at its last attempt, and only then", () =>
  Effect.gen(function* () {
    const broken = Effect.die(new Error("the store is away"))
    assert.deepStrictEqual(yield* attempted(1, broken), { failed: true, givenUp: false })
    assert.deepStrictEqual(yield* attempted(9, broken), { failed: true, givenUp: false })
    assert.deepStrictEqual(yield* attempted(10, broken), { failed: true, givenUp: true })
    assert.deepStrictEqual(yield* attempted(10, Effect.void), { failed: false, givenUp: false })
    assert.deepStrictEqual(yield* attempted(10, Effect.interrupt), { failed: true, givenUp: false })
  }),
)
