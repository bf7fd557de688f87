// Tests of the doctor of a running service.
import { configuration } from "@tentpole/adapters/Configuration"
import { Doctor } from "@tentpole/http/doctor/Doctor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder for the service's data, which is removed at the end. */
const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-doctor-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

describe("Doctor", () => {
  it.live("examines once at a time, and again afterwards", () =>
    Effect.gen(function* () {
      const config = Result.getOrThrow(configuration({ DATA_DIR: yield* folder, NODE_ENV: "development" }))
      const both = Effect.gen(function* () {
        const { run } = yield* Doctor
        const outcomes = yield* Effect.all([Effect.result(run), Effect.result(run)], { concurrency: 2 })
        const names = (yield* run).map(({ check }) => check)
        return { names, tags: outcomes.map(({ _tag }) => _tag) }
      })
      const { names, tags } = yield* Effect.provide(both, Doctor.layer(config))
      assert.deepStrictEqual(tags, ["Success", "Failure"])
      assert.includeMembers(names, ["settings", "SENDING", "database", "files", "mail", "DNS", "AI", "PORT"])
    }).pipe(Effect.scoped),
  )
})
