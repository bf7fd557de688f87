// An asset: a file uploaded to a tent for the AI. Its row is written when all bytes are in the blob store.
import { type DateTime, Result, Schema } from "effect"
import type { AssetId, TentId, WorkspaceId } from "../../kernel/Ids.ts"
import { type Change, changeOf, type QueuedJob } from "../../kernel/changes/Change.ts"
import { Invalid, refusalClass } from "../../kernel/Refusal.ts"

export interface Asset {
  readonly id: AssetId
  readonly tentId: TentId
  /** The caller's name of the file. It is shown, and never part of a path. */
  readonly fileName: string
  /** Detected from the bytes. */
  readonly contentType: string
  readonly size_bytes: number
  readonly createdAt: DateTime.Utc
}

export const assets_max = 50
export const asset_name_length_max = 255
/** A longer upload is rejected: the cleanup job may have deleted its bytes. */
export const upload_time_max_ms = 30 * 60_000
const cleanup_after_ms = 2 * upload_time_max_ms

export const assetKey = (workspace: WorkspaceId, tent: TentId, id: AssetId): string =>
  `tents/${workspace}/${tent}/${id}`

export class AssetTooLarge extends refusalClass<AssetTooLarge>()("AssetTooLarge", {
  code: "payload_too_large",
  fields: { bytes_max: Schema.Int },
  message: ({ bytes_max }) =>
    `The file exceeds the limit of ${Number((bytes_max / 2 ** 20).toFixed(1))} MB for files of tents`,
}) {}

export class AssetLimitExceeded extends refusalClass<AssetLimitExceeded>()("AssetLimitExceeded", {
  code: "asset_limit_exceeded",
  fields: { limit: Schema.Int, current: Schema.Int },
  message: ({ limit }) => `A tent can have at most ${limit} files. Delete one first`,
  extras: ({ current, limit }) => ({ limit, current }),
}) {
  static by(assets: ReadonlyArray<Asset>): AssetLimitExceeded {
    return new AssetLimitExceeded({ limit: assets_max, current: assets.length })
  }
}

export const hasMaxAssets = (assets: ReadonlyArray<Asset>): boolean => assets.length >= assets_max

/** The name to store, without control characters, or a refusal. */
export const readFileName = (given: string): Result.Result<string, Invalid> => {
  const name = given.replace(/[\p{Cc}\p{Cs}]+/gu, " ").trim()
  if (name === "") return Result.fail(Invalid.at("file", "must have a file name"))
  return name.length <= asset_name_length_max
    ? Result.succeed(name)
    : Result.fail(Invalid.at("file", `must have a file name of at most ${asset_name_length_max} characters`))
}

/** Deletes the bytes of the assets that no row names. `why` makes the job's id unique. */
export const cleanupJob = (tentId: TentId, assetIds: ReadonlyArray<AssetId>, why: string) =>
  ({ id: `asset_cleanup:${why}`, job: { type: "asset_cleanup", tentId, assetIds } }) as const satisfies QueuedJob

/** Queued before the first byte, for a process that dies during the upload. */
export const uploadCleanupJob = (tent: TentId, id: AssetId) => ({
  ...cleanupJob(tent, [id], `upload:${id}`),
  delay: cleanup_after_ms,
})

export type AssetChange = Change<"asset", { readonly before: Asset | null; readonly after: Asset | null }>

const assetChange = changeOf("asset")

export const AssetChange = {
  /** Adds an uploaded file to a tent that has `others`. */
  attach(asset: Asset, others: ReadonlyArray<Asset>): Result.Result<AssetChange, AssetLimitExceeded> {
    return hasMaxAssets(others)
      ? Result.fail(AssetLimitExceeded.by(others))
      : Result.succeed(assetChange({ before: null, after: asset }))
  },

  remove(asset: Asset): AssetChange {
    const jobs = [cleanupJob(asset.tentId, [asset.id], `asset:${asset.id}`)]
    return assetChange({ before: asset, after: null }, { jobs })
  },
}
