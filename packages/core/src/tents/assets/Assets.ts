// What can be done with the files of tents. The bytes go to the store of blobs as they come; what is known of them is
// written once all of them lie there. Whoever dies in between leaves a job behind, queued before the first byte, that removes
// bytes which nothing names.
import { Clock, Context, DateTime, Effect, Layer, Stream } from "effect"
import { type BlobNotFound, BlobStore, type BlobUnavailable } from "../../ports/BlobStore.ts"
import { contentTypeOf, head_bytes } from "../../ports/ContentType.ts"
import { concat } from "../../kernel/Bytes.ts"
import { AssetId, Ids, TentId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Jobs } from "../../kernel/changes/Jobs.ts"
import { Invalid, NotFound, Unavailable } from "../../kernel/Refusal.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import {
  type Asset,
  AssetChange,
  assetKey,
  AssetLimitExceeded,
  AssetTooLarge,
  hasMaxAssets,
  readFileName,
  upload_time_max_ms,
  uploadCleanupJob,
} from "./Asset.ts"
import { AssetStore } from "./AssetStore.ts"
import { TentChange } from "../machine.ts"
import { TentStore } from "../TentStore.ts"

export interface UploadedFile {
  readonly fileName: string
  /** Fails when what comes is no file, or not this one alone. */
  readonly bytes: Stream.Stream<Uint8Array, Invalid | AssetTooLarge>
}

/** A file on its way to whoever may read it. */
export interface AssetContent {
  readonly asset: Asset
  readonly bytes: Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
}

type UploadRefusal = Invalid | NotFound | AssetTooLarge | AssetLimitExceeded | BlobUnavailable | Unavailable

export class Assets extends Context.Service<
  Assets,
  {
    /** Keeps a file for a tent; for none (null) makes an idle one that holds it. */
    readonly upload: (
      workspace: WorkspaceId,
      tent: TentId | null,
      file: UploadedFile,
    ) => Effect.Effect<Asset, UploadRefusal>
    readonly list: (workspace: WorkspaceId, tent: TentId) => Effect.Effect<ReadonlyArray<Asset>, NotFound>
    readonly content: (
      workspace: WorkspaceId,
      tent: TentId,
      id: AssetId,
    ) => Effect.Effect<AssetContent, NotFound | BlobUnavailable>
    readonly delete: (workspace: WorkspaceId, tent: TentId, id: AssetId) => Effect.Effect<void, NotFound>
    /** Removes the bytes of those that are not there, or no longer. A job's: it fails when the store does not answer. */
    readonly cleanUp: (
      workspace: WorkspaceId,
      tent: TentId,
      ids: ReadonlyArray<AssetId>,
    ) => Effect.Effect<void, BlobUnavailable>
  }
>()("tentpole/Assets") {
  static readonly layer = Layer.effect(
    Assets,
    Effect.gen(function* () {
      const store = yield* AssetStore
      const tents = yield* TentStore
      const blobs = yield* BlobStore
      const jobs = yield* Jobs
      const ids = yield* Ids
      const { transact } = yield* Transactor
      const { asset_bytes_max } = yield* Settings

      /** Streams the bytes in, and looks at the first of them as they pass. */
      const keep = Effect.fnUntraced(function* (key: string, bytes: UploadedFile["bytes"]) {
        const head: Array<Uint8Array> = []
        let seen_bytes = 0
        const watched = Stream.tap(bytes, (chunk) =>
          Effect.sync(() => {
            if (seen_bytes < head_bytes) head.push(chunk.slice(0, head_bytes - seen_bytes))
            seen_bytes += chunk.length
          }),
        )
        // Whatever they say that they are, nobody who reads the store itself is to take them for a page.
        const { size_bytes } = yield* blobs
          .put(key, watched, { contentType: "application/octet-stream", bytes_max: asset_bytes_max })
          .pipe(Effect.catchTag("BlobTooLarge", ({ bytes_max }) => new AssetTooLarge({ bytes_max })))
        if (size_bytes === 0) return yield* Invalid.at("file", "must not be empty")
        return { size_bytes, contentType: yield* contentTypeOf(concat(head)) }
      })

      /** The tent is there, locked, or made; and what it holds. */
      const others = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: TentId, isNew: boolean) {
        if (!isNew) {
          yield* tents.lock(workspace, tent)
          return yield* store.ofTent(workspace, tent)
        }
        const idle = TentChange.idle(tent, yield* DateTime.now)
        yield* tents
          .apply(workspace, idle)
          .pipe(Effect.catchTags({ AliasTaken: Effect.die, InsufficientCredits: Effect.die }))
        return []
      })

      const attach = (workspace: WorkspaceId, asset: Asset, isNew: boolean, began_ms: number) =>
        transact(
          Effect.gen(function* () {
            const held = yield* others(workspace, asset.tentId, isNew)
            // Its bytes may be cleaned away by now: a process that was frozen for so long gives up.
            if ((yield* Clock.currentTimeMillis) - began_ms > upload_time_max_ms) {
              return yield* new Unavailable({ part: "upload" })
            }
            yield* store.apply(workspace, yield* Effect.fromResult(AssetChange.attach(asset, held)))
          }),
        )

      return Assets.of({
        upload: Effect.fn("Assets.upload")(function* (workspace, into, file) {
          const fileName = yield* Effect.fromResult(readFileName(file.fileName))
          // What can't be kept is refused before it is taken.
          const held = into === null ? [] : yield* listed(tents, store, workspace, into)
          if (hasMaxAssets(held)) return yield* AssetLimitExceeded.by(held)
          const id = AssetId.make(yield* ids.next)
          const tentId = into ?? TentId.make(yield* ids.random)
          const began_ms = yield* Clock.currentTimeMillis
          const { job, ...options } = uploadCleanupJob(tentId, id)
          yield* transact(jobs.enqueue({ ...job, workspaceId: workspace }, options))
          const key = assetKey(workspace, tentId, id)
          return yield* Effect.gen(function* () {
            const kept = yield* keep(key, file.bytes)
            const asset: Asset = { id, tentId, fileName, ...kept, createdAt: yield* DateTime.now }
            yield* attach(workspace, asset, into === null, began_ms)
            return asset
          }).pipe(
            // A refusal has written nothing. Where nobody knows what was written, the job will look.
            Effect.tapError(() => Effect.ignore(blobs.delete(key))),
          )
        }),

        list: Effect.fn("Assets.list")((workspace, tent) => listed(tents, store, workspace, tent)),

        content: Effect.fn("Assets.content")(function* (workspace, tent, id) {
          const asset = yield* store.get(workspace, tent, id)
          const key = assetKey(workspace, tent, id)
          // Deleted since it was found: it is not there either way.
          yield* blobs.info(key).pipe(Effect.catchTag("BlobNotFound", () => new NotFound({ resource: "asset" })))
          return { asset, bytes: blobs.get(key) }
        }),

        delete: Effect.fn("Assets.delete")(function* (workspace, tent, id) {
          yield* tents.lock(workspace, tent).pipe(Effect.mapError(() => new NotFound({ resource: "asset" })))
          const asset = yield* store.get(workspace, tent, id)
          yield* store.apply(workspace, AssetChange.remove(asset))
        }, transact),

        cleanUp: Effect.fn("Assets.cleanUp")(function* (workspace, tent, named) {
          const there = new Set((yield* store.ofTent(workspace, tent)).map(({ id }) => id))
          yield* Effect.forEach(
            named.filter((id) => !there.has(id)),
            (id) => blobs.delete(assetKey(workspace, tent, id)),
            { concurrency: removals_at_once, discard: true },
          )
        }),
      })
    }),
  )
}

const removals_at_once = 4

const listed = Effect.fnUntraced(function* (
  tents: TentStore["Service"],
  store: AssetStore["Service"],
  workspace: WorkspaceId,
  tent: TentId,
) {
  yield* tents.get(workspace, tent)
  return yield* store.ofTent(workspace, tent)
})
