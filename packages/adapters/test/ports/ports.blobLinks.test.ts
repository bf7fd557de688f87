// Symbolic links in the blob folder: targets outside of it are never read, written or deleted.
import * as Filesystem from "@tentpole/adapters/filesystem/BlobStore"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect, Stream } from "effect"
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const plain = { contentType: "text/plain", bytes_max: 100 }

/** A store in a folder that is reached by a link, as on a mounted disk, and a secret file beside it. */
const begin = Effect.gen(function* () {
  const place = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-links-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  )
  const [disk, folder, outside] = [join(place, "disk"), join(place, "assets"), join(place, "outside")]
  yield* Effect.promise(async () => {
    for (const each of [disk, outside]) await mkdir(each)
    await symlink(disk, folder)
    await writeFile(join(outside, "secret"), "secret")
  })
  return { folder, outside, incoming: () => readdir(join(folder, "incoming")) }
})

const read = (key: string) =>
  Effect.flatMap(BlobStore, (blobs) => blobs.get(key).pipe(Stream.decodeText, Stream.mkString))

const pathTraversalTest = tagged(it.live, "attack/path-traversal")
pathTraversalTest(
  "a symbolic link out of the folder is no blob: it is not read or copied, and its target is never changed",
  () =>
    Effect.gen(function* () {
      const { folder, incoming, outside } = yield* begin
      const secret = join(outside, "secret")
      const use = Effect.gen(function* () {
        const blobs = yield* BlobStore
        yield* blobs.put("room/owner/own", Stream.succeed(encodeText("own")), plain)
        assert.strictEqual(yield* read("room/owner/own"), "own")
        yield* Effect.promise(async () => {
          await symlink(secret, join(folder, "files/room/owner/link"))
          await symlink(outside, join(folder, "files/elsewhere"))
          await symlink(outside, join(folder, "types/elsewhere"))
          await symlink(secret, join(folder, "types/room/owner/link"))
        })
        for (const key of ["room/owner/link", "elsewhere/secret"]) {
          assert.strictEqual((yield* Effect.flip(blobs.info(key)))._tag, "BlobNotFound", key)
          assert.strictEqual((yield* Effect.flip(read(key)))._tag, "BlobNotFound", key)
          assert.strictEqual((yield* Effect.flip(blobs.copy(key, "room/owner/copy")))._tag, "BlobNotFound", key)
        }
        const out = yield* Effect.flip(blobs.put("elsewhere/new", Stream.succeed(encodeText("new")), plain))
        assert.strictEqual(out._tag, "BlobUnavailable")
        yield* blobs.delete("elsewhere/secret")
        yield* Effect.promise(() => mkdir(join(outside, "owner")))
        yield* blobs.deleteAllOf("owner")
        assert.sameMembers(yield* Effect.promise(() => readdir(outside)), ["secret", "owner"])
        yield* Effect.promise(async () => {
          await mkdir(join(folder, "files/room/owner"), { recursive: true })
          await symlink(secret, join(folder, "files/room/owner/link"))
        })
        yield* blobs.put("room/owner/link", Stream.succeed(encodeText("mine")), plain)
        assert.strictEqual(yield* read("room/owner/link"), "mine")
        assert.deepStrictEqual(yield* Effect.promise(incoming), [])
      })
      yield* Effect.provide(use, Filesystem.layer({ folder }))
      assert.strictEqual(yield* Effect.promise(() => readFile(secret, "utf8")), "secret")
    }).pipe(Effect.scoped),
)

const uploadBombTest = tagged(it.live, "attack/upload-bomb")
uploadBombTest("an incomplete, oversized or interrupted body leaves no file", () =>
  Effect.gen(function* () {
    const { folder, incoming } = yield* begin
    const use = Effect.gen(function* () {
      const blobs = yield* BlobStore
      const begun = Stream.succeed(encodeText("begun"))
      for (const bytes of [
        Stream.concat(begun, Stream.fail("broke off")),
        Stream.concat(begun, Stream.die("a defect")),
        Stream.concat(begun, Stream.fromEffect(Effect.interrupt)),
        Stream.forever(begun),
      ]) {
        assert.strictEqual((yield* Effect.exit(blobs.put("room/owner/file", bytes, plain)))._tag, "Failure")
      }
      assert.deepStrictEqual(yield* Effect.promise(incoming), [])
      const left = yield* Effect.promise(() => readdir(folder, { recursive: true, withFileTypes: true }))
      assert.deepStrictEqual(
        left.filter((entry) => entry.isFile()).map(({ name }) => name),
        [],
      )
    })
    yield* Effect.provide(use, Filesystem.layer({ folder }))
  }).pipe(Effect.scoped),
)
