// Tests that other users of the machine can't read uploaded files.
import { prepareFolder } from "@tentpole/adapters/DataFolder"
import { layer } from "@tentpole/adapters/filesystem/BlobStore"
import type { Configuration } from "@tentpole/adapters/Configuration"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

it.live("folders of files have mode 0700, and files have mode 0600", () =>
  Effect.gen(function* () {
    const parent = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-modes-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
    )
    const dataDir = join(parent, "data")
    yield* prepareFolder({ dataDir } as Configuration)
    yield* Effect.gen(function* () {
      const store = yield* BlobStore
      const key = "imports/5d3a/file"
      yield* store.put(key, Stream.succeed(encodeText("ann@example.com")), { contentType: "text/csv", bytes_max: 100 })
      yield* store.copy(key, "imports/5d3a/copy")
    }).pipe(Effect.provide(layer({ folder: join(dataDir, "assets") })))
    const found = yield* Effect.promise(() => readdir(parent, { recursive: true, withFileTypes: true }))
    assert.strictEqual(found.filter((entry) => entry.isFile()).length, 4)
    for (const entry of found) {
      const path = join(entry.parentPath, entry.name)
      const { mode } = yield* Effect.promise(() => stat(path))
      assert.strictEqual((mode & 0o777).toString(8), entry.isFile() ? "600" : "700", path)
    }
  }).pipe(Effect.scoped),
)
