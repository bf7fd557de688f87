// Use cases of a tent's assets. An upload streams its bytes to the blob store and writes the row when all bytes are existing.
// A cleanup job is queued before the first byte. It removes the bytes of an upload whose process died.
import { Clock, Context, DateTime, Effect, Layer, Stream } from "effect"
import { type BlobNotFound, BlobStore, type BlobUnavailable } from "../../ports/BlobStore.ts"
import { contentTypeParser, head_bytes } from "../../ports/ContentType.ts"
import { Parsers } from "../../ports/Parsers.ts"
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
  /** Fails when the request has no file, or more than one. */
  readonly bytes: Stream.Stream<Uint8Array, Invalid | AssetTooLarge>
}

export interface AssetContent {
  readonly asset: Asset
  readonly bytes: Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
}

type UploadRefusal = Invalid | NotFound | AssetTooLarge | AssetLimitExceeded | BlobUnavailable | Unavailable

export class Assets extends Context.Service<
  Assets,
  {
    /** Stores a file for a tent. Without a tent (null) it creates an idle one for the file. */
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
    /** Deletes the bytes of the given assets that no row names. Run by a job; fails when the blob store does not answer. */
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
      const parsers = yield* Parsers
      const jobs = yield* Jobs
      const ids = yield* Ids
      const { transact } = yield* Transactor
      const { asset_bytes_max } = yield* Settings

      /** Streams the bytes into the blob store, and detects the content type from the first of them. */
      const storeBytes = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        key: string,
        bytes: UploadedFile["bytes"],
      ) {
        const head: Array<Uint8Array> = []
        let seen_bytes = 0
        const watched = Stream.tap(bytes, (chunk) =>
          Effect.sync(() => {
            if (seen_bytes < head_bytes) head.push(chunk.slice(0, head_bytes - seen_bytes))
            seen_bytes += chunk.length
          }),
        )
        // The stored type is neutral, so that no reader of the bucket serves a file as a page.
        const { size_bytes } = yield* blobs
          .put(key, watched, { contentType: "application/octet-stream", bytes_max: asset_bytes_max })
          .pipe(Effect.catchTag("BlobTooLarge", ({ bytes_max }) => new AssetTooLarge({ bytes_max })))
        if (size_bytes === 0) return yield* Invalid.at("file", "must not be empty")
        const contentType = yield* Effect.orDie(parsers.run(contentTypeParser, concat(head), workspace))
        return { size_bytes, contentType }
      })

      /** Locks or creates the tent; returns the assets that it has. */
      const lockAssets = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: TentId, isNew: boolean) {
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
            const existing = yield* lockAssets(workspace, asset.tentId, isNew)
            // The cleanup job may have deleted the bytes by now, so a process that was suspended for this long fails.
            if ((yield* Clock.currentTimeMillis) - began_ms > upload_time_max_ms) {
              return yield* new Unavailable({ part: "upload" })
            }
            yield* store.apply(workspace, yield* Effect.fromResult(AssetChange.attach(asset, existing)))
          }),
        )

      return Assets.of({
        upload: Effect.fn("Assets.upload")(function* (workspace, into, file) {
          const fileName = yield* Effect.fromResult(readFileName(file.fileName))
          // Checks the limit before the bytes are streamed. `attach` checks it again under the lock.
          const existing = into === null ? [] : yield* listAssets(tents, store, workspace, into)
          if (hasMaxAssets(existing)) return yield* AssetLimitExceeded.by(existing)
          const id = AssetId.make(yield* ids.next)
          const tentId = into ?? TentId.make(yield* ids.random)
          const began_ms = yield* Clock.currentTimeMillis
          const { job, ...options } = uploadCleanupJob(tentId, id)
          yield* transact(jobs.enqueue({ ...job, workspaceId: workspace }, options))
          const key = assetKey(workspace, tentId, id)
          return yield* Effect.gen(function* () {
            const stored = yield* storeBytes(workspace, key, file.bytes)
            const asset: Asset = { id, tentId, fileName, ...stored, createdAt: yield* DateTime.now }
            yield* attach(workspace, asset, into === null, began_ms)
            return asset
          }).pipe(
            // After a refusal nothing is written. After a crash the cleanup job removes the bytes.
            Effect.tapError(() => Effect.ignore(blobs.delete(key))),
          )
        }),

        list: Effect.fn("Assets.list")((workspace, tent) => listAssets(tents, store, workspace, tent)),

        content: Effect.fn("Assets.content")(function* (workspace, tent, id) {
          const asset = yield* store.get(workspace, tent, id)
          const key = assetKey(workspace, tent, id)
          // The bytes may be deleted between the two reads.
          yield* blobs.info(key).pipe(Effect.catchTag("BlobNotFound", () => new NotFound({ resource: "asset" })))
          return { asset, bytes: blobs.get(key) }
        }),

        delete: Effect.fn("Assets.delete")(function* (workspace, tent, id) {
          yield* tents.lock(workspace, tent).pipe(Effect.mapError(() => new NotFound({ resource: "asset" })))
          const asset = yield* store.get(workspace, tent, id)
          yield* store.apply(workspace, AssetChange.remove(asset))
        }, transact),

        cleanUp: Effect.fn("Assets.cleanUp")(function* (workspace, tent, named) {
          const existing = new Set((yield* store.ofTent(workspace, tent)).map(({ id }) => id))
          yield* Effect.forEach(
            named.filter((id) => !existing.has(id)),
            (id) => blobs.delete(assetKey(workspace, tent, id)),
            { concurrency: removals_at_once, discard: true },
          )
        }),
      })
    }),
  )
}

const removals_at_once = 4

const listAssets = Effect.fnUntraced(function* (
  tents: TentStore["Service"],
  store: AssetStore["Service"],
  workspace: WorkspaceId,
  tent: TentId,
) {
  yield* tents.get(workspace, tent)
  return yield* store.ofTent(workspace, tent)
})
