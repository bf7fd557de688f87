// The files of a tent as they go with its prompt. What a model can read is shown to it, within bounds that a provider takes;
// of everything else it is told that it is there. Small pictures can stand on the page itself.
import { Effect, Stream } from "effect"
import { Base64 } from "effect/encoding"
import type { PageAsset } from "../../ports/Ai.ts"
import type { BlobStore, BlobUnavailable } from "../../ports/BlobStore.ts"
import { pictureSize } from "../../ports/PictureSize.ts"
import { concat, decodeText, encodeText } from "../../kernel/Bytes.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { type Asset, assetKey } from "./Asset.ts"

/** What providers take of a picture or a document, and of all of them together. */
const shown_bytes_max = 4 * 2 ** 20
const shown_in_all_bytes_max = 10 * 2 ** 20
/** Of text, which a model reads word by word. */
const text_bytes_max = 128 * 2 ** 10
/** A page holds what stands on it: these leave room for the rest of its 2 MB. */
const picture_bytes_max = 400 * 2 ** 10
const pictures_in_all_bytes_max = 800 * 2 ** 10

/** More no provider takes, and no visitor's browser is to unpack: a few bytes may say that they are gigabytes. */
export const picture_side_px_max = 8_000

const pictureTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const isText = (contentType: string): boolean =>
  contentType.startsWith("text/") || contentType === "application/xml" || contentType === "image/svg+xml"

const largest = (contentType: string): number => {
  if (isText(contentType)) return text_bytes_max
  return pictureTypes.has(contentType) || contentType === "application/pdf" ? shown_bytes_max : 0
}

/** Which of them are shown, and which can stand on the page: in their order, as long as there is room. */
export const shares = (
  assets: ReadonlyArray<Pick<Asset, "contentType" | "size_bytes">>,
): ReadonlyArray<{ readonly isShown: boolean; readonly isOnPage: boolean }> => {
  let shown_bytes = 0
  let onPage_bytes = 0
  return assets.map(({ contentType, size_bytes }) => {
    const isShown = size_bytes <= largest(contentType) && shown_bytes + size_bytes <= shown_in_all_bytes_max
    if (isShown) shown_bytes += size_bytes
    const small = size_bytes <= picture_bytes_max && onPage_bytes + size_bytes <= pictures_in_all_bytes_max
    const isOnPage = isShown && small && pictureTypes.has(contentType)
    if (isOnPage) onPage_bytes += size_bytes
    return { isShown, isOnPage }
  })
}

const addressOf = (place: number): string => `asset:${place + 1}`

/** What the AI is given. A file whose bytes are gone meanwhile is left out. */
export const pageAssets = Effect.fnUntraced(function* (
  blobs: BlobStore["Service"],
  workspace: WorkspaceId,
  assets: ReadonlyArray<Asset>,
): Effect.fn.Return<ReadonlyArray<PageAsset>, BlobUnavailable> {
  const rooms = shares(assets)
  const all = yield* Effect.forEach(assets, (asset, place) => {
    const room = rooms[place]
    const { fileName, contentType, size_bytes } = asset
    const told = { fileName, contentType, size_bytes, address: room?.isOnPage === true ? addressOf(place) : null }
    if (room?.isShown !== true) return Effect.succeed([{ ...told, bytes: null }])
    return Stream.runCollect(blobs.get(assetKey(workspace, asset.tentId, asset.id))).pipe(
      Effect.map((parts): ReadonlyArray<PageAsset> => {
        const bytes = legible(contentType, concat(parts))
        return [bytes === null ? { ...told, bytes, address: null } : { ...told, bytes }]
      }),
      Effect.catchTag("BlobNotFound", () => Effect.succeed([])),
    )
  })
  return all.flat()
})

/**
 * Text in whatever encoding goes on as UTF-8, without what no JSON of a provider takes. A picture that is too large to be looked
 * at, or does not say how large it is, is shown to nobody: null.
 */
const legible = (contentType: string, bytes: Uint8Array): Uint8Array | null => {
  if (isText(contentType)) return encodeText(decodeText(bytes).replaceAll("\0", ""))
  return !pictureTypes.has(contentType) || isViewable(bytes) ? bytes : null
}

const isViewable = (picture: Uint8Array): boolean => {
  const size = pictureSize(picture)
  return size !== null && Math.max(size.width_px, size.height_px) <= picture_side_px_max
}

/** The page with the pictures themselves where it names them. An address of nothing stays, and is cut by the cleaner. */
export const withPictures = (html: string, assets: ReadonlyArray<PageAsset>): string => {
  const pictures = assets.filter(({ address, bytes }) => address !== null && bytes !== null)
  return pictures.reduce((page, { address, bytes, contentType }) => {
    const named = new RegExp(`(["'(=])${address}(?=["')\\s>])`, "g")
    if (bytes === null || !named.test(page)) return page
    const data = `data:${contentType};base64,${Base64.encode(bytes)}`
    return page.replace(named, (_, before: string) => `${before}${data}`)
  }, html)
}
