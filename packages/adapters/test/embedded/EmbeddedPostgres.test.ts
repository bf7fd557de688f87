// Tests of the modes of the embedded server's folder: other users read nothing in it.
import { start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

it.live.skipIf(process.platform === "win32")(
  "other users may pass the folder, if the server runs as another user, and read nothing in it",
  () =>
    Effect.gen(function* () {
      const above = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "embedded-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true })),
      )
      const folder = join(above, "data")
      yield* start({ folder, durable: false, port: null })
      const modeOf = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777)
      // The server of root runs as another user, which has to pass.
      const passable = process.getuid?.() === 0 ? 0o701 : 0o700
      assert.deepStrictEqual([yield* modeOf(above), yield* modeOf(folder)], [passable, passable])
      assert.strictEqual(yield* modeOf(join(folder, "pg.password")), 0o600)
      assert.strictEqual(yield* modeOf(join(folder, "pg")), 0o700)
    }).pipe(Effect.scoped),
)
