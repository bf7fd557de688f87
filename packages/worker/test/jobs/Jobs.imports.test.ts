// Tests of import jobs: when an attempt works, and when the run is abandoned.
import { defaults } from "@tentpole/core/kernel/changes/JobRunner"
import { ImportRunId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { attempts_to_work, handlers } from "@tentpole/worker/jobs/Jobs"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"

const job = {
  type: "import_run",
  workspaceId: WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  runId: ImportRunId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12"),
} as const

const attempted = Effect.fnUntraced(function* (attempt: number, run: Effect.Effect<void>) {
  let [worked, abandoned] = [false, false]
  const runs = Layer.mock(ImportRuns)({
    run: () =>
      Effect.andThen(
        Effect.sync(() => void (worked = true)),
        run,
      ),
    abandon: () => Effect.sync(() => void (abandoned = true)),
  })
  const exit = yield* Effect.exit(handlers.import_run(job, { id: "import_run:x", attempt }).pipe(Effect.provide(runs)))
  return { worked, failed: Exit.isFailure(exit), abandoned }
})

it.effect("an import run is abandoned at the last attempt, not before", () =>
  Effect.gen(function* () {
    const broken = Effect.die(new Error("the store is unreachable"))
    const failed = { worked: true, failed: true, abandoned: false }
    assert.deepStrictEqual(yield* attempted(1, broken), failed)
    assert.deepStrictEqual(yield* attempted(attempts_to_work - 1, broken), failed)
    assert.deepStrictEqual(yield* attempted(attempts_to_work, broken), { ...failed, abandoned: true })
    assert.deepStrictEqual(yield* attempted(attempts_to_work, Effect.void), { ...failed, failed: false })
    assert.deepStrictEqual(yield* attempted(attempts_to_work, Effect.interrupt), failed)
  }),
)

it.effect("an import run that crashed every worker is abandoned without another attempt", () =>
  Effect.gen(function* () {
    for (const attempt of [attempts_to_work + 1, defaults.attempts_max]) {
      assert.deepStrictEqual(yield* attempted(attempt, Effect.void), { worked: false, failed: true, abandoned: true })
    }
  }),
)
