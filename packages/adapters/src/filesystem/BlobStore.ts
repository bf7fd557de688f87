// The blob store in a folder: bytes under `files/`, content types under `types/`, and unfinished writes under `incoming/`.
// A rename makes a finished file visible at once. Several processes may share the folder. A symbolic link that leads out of
// the folder is not followed: its target is no blob.
import * as NodeStream from "@effect/platform-node/NodeStream"
import {
  BlobNotFound,
  BlobStore,
  BlobTooLarge,
  BlobUnavailable,
  isBlobKey,
  isBlobOwner,
} from "@tentpole/core/ports/BlobStore"
import { Effect, Exit, Layer, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises"
import { dirname, join, sep } from "node:path"

export interface FilesystemOptions {
  readonly folder: string
}

/** The age at which unfinished files of killed processes are deleted, at a later start. */
const abandoned_after_ms = 24 * 60 * 60_000

const read_bytes = 256 * 1024

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** A key below a file, and a key that is a folder, count as missing. */
const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(codeOf(error)))

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BlobUnavailable> =>
  Effect.tryPromise({ try: run, catch: (cause) => new BlobUnavailable({ cause }) })

const attemptOn = <A>(key: string, run: () => Promise<A>): Effect.Effect<A, BlobNotFound | BlobUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => (isMissing(cause) ? new BlobNotFound({ key }) : new BlobUnavailable({ cause })),
  })

/** Closes a file in every case. */
const syncAndClose = async (file: FileHandle): Promise<void> => {
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const writeType = async (path: string, contentType: string): Promise<void> => {
  const file = await open(path, "wx")
  try {
    await file.appendFile(contentType)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A rename survives a power loss only after its folder is synced. */
const syncFolder = async (folder: string): Promise<void> => syncAndClose(await open(folder, "r"))

/** A symbolic link in the folder leads out of it. */
class LeadsOut extends Error {
  readonly code = "ENOENT"
}

/** The real path of a path in the folder. */
const resolved = async (root: string, path: string): Promise<string> => {
  const real = await realpath(path)
  if (!real.startsWith(root + sep)) throw new LeadsOut(`${path} leads out of ${root}`)
  return real
}

/** Makes a finished file visible under its name, in place of what is there. */
const publish = async (root: string, from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true })
  await resolved(root, dirname(to))
  await rename(from, to)
  await syncFolder(dirname(to))
}

/** Deletes what is there: of a link the link itself, never its target. */
const removeIn = async (root: string, path: string, { recursive }: { readonly recursive: boolean }): Promise<void> => {
  try {
    await resolved(root, dirname(path))
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  await rm(path, { recursive, force: true })
}

/** The file system may not support hard links. */
const linkOrCopy = (from: string, to: string): Promise<void> =>
  link(from, to).catch((error: unknown) => (isMissing(error) ? Promise.reject(error) : copyFile(from, to)))

const removeAbandoned = async (incoming: string, now_ms: number): Promise<void> => {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const about = await stat(path).catch(() => undefined)
    if (about !== undefined && now_ms - about.mtimeMs > abandoned_after_ms) await rm(path, { force: true })
  }
}

const writeAll = <E, R>(file: FileHandle, bytes: Stream.Stream<Uint8Array, E, R>, bytes_max: number) =>
  Effect.suspend(() => {
    let size_bytes = 0
    return bytes.pipe(
      Stream.runForEach((chunk): Effect.Effect<void, BlobTooLarge | BlobUnavailable> => {
        size_bytes += chunk.length
        return size_bytes > bytes_max
          ? Effect.fail(new BlobTooLarge({ bytes_max }))
          : attempt(() => file.appendFile(chunk))
      }),
      Effect.map(() => size_bytes),
    )
  })

const make = Effect.fnUntraced(function* ({ folder }: FilesystemOptions) {
  const incoming = join(folder, "incoming")
  const root = yield* attempt(async () => {
    await mkdir(incoming, { recursive: true })
    await removeAbandoned(incoming, Date.now())
    return realpath(folder)
  })

  const paths = (key: string) =>
    isBlobKey(key)
      ? Effect.succeed({ file: join(folder, "files", key), type: join(folder, "types", key) })
      : Effect.die(new Error(`"${key}" is no key of a blob`))

  const temporary = Effect.acquireRelease(
    Effect.sync(() => join(incoming, randomUUID())),
    (path) => Effect.ignore(attempt(() => rm(path, { force: true }))),
  )

  const info = Effect.fnUntraced(function* (key: string) {
    const { file, type } = yield* paths(key)
    const about = yield* attemptOn(key, async () => stat(await resolved(root, file)))
    if (!about.isFile()) return yield* new BlobNotFound({ key })
    const contentType = yield* attemptOn(key, async () => readFile(await resolved(root, type), "utf8")).pipe(
      Effect.catchTag("BlobNotFound", () => Effect.succeed("application/octet-stream")),
    )
    return { size_bytes: about.size, contentType }
  })

  return BlobStore.of({
    put: (key, bytes, { contentType, bytes_max }) =>
      Effect.gen(function* () {
        const to = yield* paths(key)
        const [newFile, newType] = [yield* temporary, yield* temporary]
        const size_bytes = yield* Effect.acquireUseRelease(
          attempt(() => open(newFile, "wx")),
          (file) => writeAll(file, bytes, bytes_max),
          (file, exit) => (Exit.isSuccess(exit) ? attempt(() => syncAndClose(file)) : attempt(() => file.close())),
        )
        yield* Effect.uninterruptible(
          attempt(async () => {
            await writeType(newType, contentType)
            await publish(root, newType, to.type)
            await publish(root, newFile, to.file)
          }),
        )
        return { size_bytes, contentType }
      }).pipe(Effect.scoped),

    get: (key) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const { file } = yield* paths(key)
          const real = yield* attemptOn(key, () => resolved(root, file))
          return NodeStream.fromReadable<Uint8Array, BlobNotFound | BlobUnavailable>({
            evaluate: () => createReadStream(real, { highWaterMark: read_bytes }),
            chunkSize: 1,
            onError: (cause) => (isMissing(cause) ? new BlobNotFound({ key }) : new BlobUnavailable({ cause })),
          })
        }),
      ),

    info,

    copy: (from, to) =>
      Effect.gen(function* () {
        const [source, target] = [yield* paths(from), yield* paths(to)]
        const about = yield* info(from)
        const [newFile, newType] = [yield* temporary, yield* temporary]
        yield* Effect.uninterruptible(
          attemptOn(from, async () => {
            await linkOrCopy(await resolved(root, source.file), newFile)
            await linkOrCopy(await resolved(root, source.type), newType)
            await publish(root, newType, target.type)
            await publish(root, newFile, target.file)
          }),
        )
        return about
      }).pipe(Effect.scoped),

    delete: (key) =>
      Effect.flatMap(paths(key), ({ file, type }) =>
        attempt(async () => {
          for (const path of [file, type]) await removeIn(root, path, { recursive: false })
        }),
      ),

    deleteAllOf: (owner) =>
      isBlobOwner(owner)
        ? attempt(async () => {
            for (const kind of ["files", "types"]) {
              const rooms = await readdir(join(folder, kind)).catch((error: unknown) =>
                isMissing(error) ? [] : Promise.reject(error),
              )
              for (const room of rooms) await removeIn(root, join(folder, kind, room, owner), { recursive: true })
            }
          })
        : Effect.die(new Error(`"${owner}" is no owner of blobs`)),
    uploadUrl: () => Effect.succeed(null),
    downloadUrl: () => Effect.succeed(null),
  })
})

/** Fails at the start when the folder can't be created or read. */
export const layer = (options: FilesystemOptions) => Layer.effect(BlobStore, make(options))
