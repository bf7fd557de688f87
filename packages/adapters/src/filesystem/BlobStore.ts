// The blob store in a folder: bytes under `files/`, content types under `types/`, and unfinished writes under `incoming/`.
// A rename makes a finished file visible at once. Several processes may share the folder. A symbolic link that leads out of
// the folder is not followed: its target is no blob.
import * as NodeStream from "@effect/platform-node/NodeStream"
import { BlobNotFound, BlobStore, blobStore, BlobUnavailable } from "@tentpole/core/ports/BlobStore"
import { Effect, Exit, Layer, Predicate, Stream } from "effect"
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
  writeFile,
} from "node:fs/promises"
import { dirname, join, sep } from "node:path"

export interface FilesystemOptions {
  readonly folder: string
}

/** The age at which unfinished files of killed processes are deleted, at a later start. */
const abandoned_after_ms = 24 * 60 * 60_000

const read_bytes = 256 * 1024

/** A key below a file, and a key that is a folder, count as missing. */
const isMissing = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(error.code))

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BlobUnavailable> =>
  Effect.tryPromise({ try: run, catch: (cause) => new BlobUnavailable({ cause }) })

const attemptOn = <A>(key: string, run: () => Promise<A>) =>
  Effect.mapError(attempt(run), (error) => (isMissing(error.cause) ? new BlobNotFound({ key }) : error))

/** Closes a file in every case. */
const syncAndClose = async (file: FileHandle): Promise<void> => {
  try {
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
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
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

/** The files below a folder, one directory in memory at a time. Links are skipped. */
async function* filesBelow(path: string, key: string): AsyncGenerator<string> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) =>
    isMissing(error) ? [] : Promise.reject(error),
  )
  for (const entry of entries) {
    if (entry.isFile()) yield `${key}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(join(path, entry.name), `${key}/${entry.name}`)
  }
}

const make = Effect.fnUntraced(function* ({ folder }: FilesystemOptions) {
  const incoming = join(folder, "incoming")
  const root = yield* attempt(async () => {
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    await removeAbandoned(incoming, Date.now())
    return realpath(folder)
  })

  const paths = (key: string) => ({ file: join(folder, "files", key), type: join(folder, "types", key) })

  const temporary = Effect.acquireRelease(
    Effect.sync(() => join(incoming, randomUUID())),
    (path) => Effect.ignore(attempt(() => rm(path, { force: true }))),
  )

  const info = Effect.fnUntraced(function* (key: string) {
    const { file, type } = paths(key)
    const about = yield* attemptOn(key, async () => stat(await resolved(root, file)))
    if (!about.isFile()) return yield* new BlobNotFound({ key })
    const contentType = yield* attemptOn(key, async () => readFile(await resolved(root, type), "utf8")).pipe(
      Effect.catchTag("BlobNotFound", () => Effect.succeed("application/octet-stream")),
    )
    return { size_bytes: about.size, contentType }
  })

  return blobStore({
    put: (key, bytes, contentType) =>
      Effect.gen(function* () {
        const to = paths(key)
        const [newFile, newType] = [yield* temporary, yield* temporary]
        yield* Effect.acquireUseRelease(
          attempt(() => open(newFile, "wx", 0o600)),
          (file) => Stream.runForEach(bytes, (chunk) => attempt(() => file.appendFile(chunk))),
          (file, exit) => (Exit.isSuccess(exit) ? attempt(() => syncAndClose(file)) : attempt(() => file.close())),
        )
        yield* Effect.uninterruptible(
          attempt(async () => {
            await writeFile(newType, contentType, { flag: "wx", flush: true, mode: 0o600 })
            await publish(root, newType, to.type)
            await publish(root, newFile, to.file)
          }),
        )
      }).pipe(Effect.scoped),

    get: (key) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const real = yield* attemptOn(key, () => resolved(root, paths(key).file))
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
        const [source, target] = [paths(from), paths(to)]
        // Fails for a folder.
        yield* info(from)
        const [newFile, newType] = [yield* temporary, yield* temporary]
        yield* Effect.uninterruptible(
          attemptOn(from, async () => {
            await linkOrCopy(await resolved(root, source.file), newFile)
            await linkOrCopy(await resolved(root, source.type), newType)
            await publish(root, newType, target.type)
            await publish(root, newFile, target.file)
          }),
        )
      }).pipe(Effect.scoped),

    delete: (key) =>
      attempt(async () => {
        const { file, type } = paths(key)
        for (const path of [file, type]) await removeIn(root, path, { recursive: false })
      }),

    list: (key) =>
      Stream.fromAsyncIterable(filesBelow(join(folder, "files", key), key), (cause) => new BlobUnavailable({ cause })),

    deleteAllOf: (owner) =>
      attempt(async () => {
        for (const kind of ["files", "types"]) {
          const rooms = await readdir(join(folder, kind)).catch((error: unknown) =>
            isMissing(error) ? [] : Promise.reject(error),
          )
          for (const room of rooms) await removeIn(root, join(folder, kind, room, owner), { recursive: true })
        }
      }),
  })
})

/** Fails at the start when the folder can't be created or read. */
export const layer = (options: FilesystemOptions) => Layer.effect(BlobStore, make(options))
