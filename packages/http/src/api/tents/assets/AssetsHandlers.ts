// The handlers of the files of tents.
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Settings } from "@tentpole/core/kernel/Settings"
import { type AssetContent, Assets } from "@tentpole/core/tents/assets/Assets"
import { Effect } from "effect"
import { HttpServerResponse, type Multipart } from "effect/http"
import type { Stream } from "effect"
import { handlersOf } from "../../../GroupHandlers.ts"
import { answer } from "../../../Wire.ts"
import { toAssetsWire, toAssetWire } from "./AssetsApi.ts"
import { soleFile } from "./UploadedFile.ts"

export const layer = handlersOf(
  "tentAssets",
  Effect.all({ assets: Assets, settings: Settings }),
  ({ assets, settings: { asset_bytes_max } }) => {
    const upload = (
      workspace: WorkspaceId,
      tent: TentId | null,
      parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
    ) =>
      Effect.flatMap(soleFile(parts, asset_bytes_max), (file) => assets.upload(workspace, tent, file)).pipe(
        Effect.scoped,
        answer(toAssetWire),
      )
    return {
      uploadFirst: ({ payload }, { id }) => upload(id, null, payload),
      upload: ({ params, payload }, { id }) => upload(id, params.tentId, payload),
      list: ({ params }, { id }) => assets.list(id, params.tentId).pipe(answer(toAssetsWire)),
      content: ({ params }, { id }) => assets.content(id, params.tentId, params.asset_id).pipe(answer(toDownload)),
      remove: ({ params }, { id }) => assets.delete(id, params.tentId, params.asset_id).pipe(answer(() => undefined)),
    }
  },
)

/** The content type with the charset of text, so that browsers do not guess another one. */
const typeOf = (contentType: string): string =>
  /^text\/|xml$/.test(contentType) ? `${contentType}; charset=utf-8` : contentType

const toDownload = ({ asset, bytes }: AssetContent) =>
  HttpServerResponse.stream(bytes, {
    contentType: typeOf(asset.contentType),
    contentLength: asset.size_bytes,
    headers: {
      "content-disposition": attachment(asset.fileName),
      "content-security-policy": "sandbox; default-src 'none'",
    },
  })
