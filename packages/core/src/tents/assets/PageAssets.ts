// A tent's assets as they are sent to the AI with the prompt. A model gets the bytes of a file that it can read, within the
// limits of providers. Of other files it gets name, type and size. Small pictures can be placed on the page.
import { Effect, Stream } from "effect"
import { Base64 } from "effect/encoding"
import type { PageAsset } from "../../ports/Ai.ts"
import type { BlobStore, BlobUnavailable } from "../../ports/BlobStore.ts"
import type { Parser } from "../../ports/Parsers.ts"
import { addressOf, withData } from "./PagePictures.ts"
import { pictureSize } from "../../ports/PictureSize.ts"
import { concat, decodeText, encodeText } from "../../kernel/Bytes.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { type Asset, assetKey } from "./Asset.ts"

/** The limit of AI providers for one picture or document; the next constant is the limit for all of them together. */
const shown_bytes_max = 4 * 2 ** 20
const shown_in_all_bytes_max = 10 * 2 ** 20
/** For text files. */
const text_bytes_max = 128 * 2 ** 10
/** Pictures on the page are part of its HTML: these limits leave room for the rest of its 2 MB. */
const picture_bytes_max = 400 * 2 ** 10
const pictures_in_all_bytes_max = 800 * 2 ** 10

/** The limit of AI providers. It also protects visitors: a picture of a few bytes can claim to have gigapixels. */
export const picture_side_px_max = 8_000

const pictureTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const isText = (contentType: string): boolean =>
  contentType.startsWith("text/") || contentType === "application/xml" || contentType === "image/svg+xml"

const shownBytesMax = (contentType: string): number => {
  if (isText(contentType)) return text_bytes_max
  return pictureTypes.has(contentType) || contentType === "application/pdf" ? shown_bytes_max : 0
}

/** Which assets the AI gets with bytes, and which it may place on the page: in order, while there is room. */
export const assetUses = (
  assets: ReadonlyArray<Pick<Asset, "contentType" | "size_bytes">>,
): ReadonlyArray<{ readonly isShown: boolean; readonly isOnPage: boolean }> => {
  let shown_bytes = 0
  let onPage_bytes = 0
  return assets.map(({ contentType, size_bytes }) => {
    const isShown = size_bytes <= shownBytesMax(contentType) && shown_bytes + size_bytes <= shown_in_all_bytes_max
    if (isShown) shown_bytes += size_bytes
    const small = size_bytes <= picture_bytes_max && onPage_bytes + size_bytes <= pictures_in_all_bytes_max
    const isOnPage = isShown && small && pictureTypes.has(contentType)
    if (isOnPage) onPage_bytes += size_bytes
    return { isShown, isOnPage }
  })
}

/** The assets as the AI gets them. A file whose bytes are deleted is left out. */
export const pageAssets = Effect.fnUntraced(function* (
  blobs: BlobStore["Service"],
  workspace: WorkspaceId,
  assets: ReadonlyArray<Asset>,
): Effect.fn.Return<ReadonlyArray<PageAsset>, BlobUnavailable> {
  const rooms = assetUses(assets)
  const all = yield* Effect.forEach(assets, (asset, place) => {
    const room = rooms[place]
    const { fileName, contentType, size_bytes } = asset
    const described = { fileName, contentType, size_bytes, address: room?.isOnPage === true ? addressOf(place) : null }
    if (room?.isShown !== true) return Effect.succeed([{ ...described, bytes: null }])
    return Stream.runCollect(blobs.get(assetKey(workspace, asset.tentId, asset.id))).pipe(
      Effect.map((parts): ReadonlyArray<PageAsset> => {
        const bytes = readableBytes(contentType, concat(parts))
        return [bytes === null ? { ...described, bytes, address: null } : { ...described, bytes }]
      }),
      Effect.catchTag("BlobNotFound", () => Effect.succeed([])),
    )
  })
  return all.flat()
})

/** Text as UTF-8 without NUL, which providers reject. Null for a picture too large or without a readable size. */
const readableBytes = (contentType: string, bytes: Uint8Array): Uint8Array | null => {
  if (isText(contentType)) return encodeText(decodeText(bytes).replaceAll("\0", ""))
  return !pictureTypes.has(contentType) || isViewable(bytes) ? bytes : null
}

const isViewable = (picture: Uint8Array): boolean => {
  const size = pictureSize(picture)
  return size !== null && Math.max(size.width_px, size.height_px) <= picture_side_px_max
}

/** Replaces the addresses of assets in the page by the pictures. The cleaner removes addresses without a picture. */
export const withPictures = (html: string, assets: ReadonlyArray<PageAsset>): string => {
  const pictures = assets.flatMap(({ address, bytes, contentType }) =>
    address === null || bytes === null ? [] : [{ address, data: `data:${contentType};base64,${Base64.encode(bytes)}` }],
  )
  return withData({ html, pictures })
}

interface PicturesInput {
  readonly html: string
  readonly assets: ReadonlyArray<PageAsset>
}

export const picturesParser: Parser<PicturesInput, string> = {
  name: "page_pictures",
  run: ({ html, assets }) => withPictures(html, assets),
  sizeOf: ({ html, assets }) => assets.reduce((size, { bytes }) => size + (bytes?.length ?? 0), html.length),
}
