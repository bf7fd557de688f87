// The handlers of the files of tents.
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import type { TentId } from "@tentpole/core/kernel/Ids"
import { Settings } from "@tentpole/core/kernel/Settings"
import { type AssetContent, Assets } from "@tentpole/core/tents/assets/Assets"
import { Effect } from "effect"
import { HttpServerResponse, type Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Stream } from "effect"
import { Api } from "../../../Api.ts"
import { withWorkspace } from "../../../edge/Auth.ts"
import { answer } from "../../../Wire.ts"
import { toAssetsWire, toAssetWire } from "./AssetsApi.ts"
import { soleFile } from "./UploadedFile.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "tentAssets",
  Effect.fn(function* (group) {
    const assets = yield* Assets
    const { asset_bytes_max } = yield* Settings
    const upload = (tent: TentId | null, parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>) =>
      withWorkspace(({ id }) =>
        Effect.scoped(Effect.flatMap(soleFile(parts, asset_bytes_max), (file) => assets.upload(id, tent, file))),
      ).pipe(answer(toAssetWire))
    return group.handleAll({
      uploadFirst: ({ payload }) => upload(null, payload),
      upload: ({ params, payload }) => upload(params.tentId, payload),
      list: ({ params }) => withWorkspace(({ id }) => assets.list(id, params.tentId)).pipe(answer(toAssetsWire)),
      content: ({ params }) =>
        withWorkspace(({ id }) => assets.content(id, params.tentId, params.asset_id)).pipe(answer(toDownload)),
      remove: ({ params }) =>
        withWorkspace(({ id }) => assets.delete(id, params.tentId, params.asset_id)).pipe(answer(() => undefined)),
    })
  }),
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
