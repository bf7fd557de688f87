// Wire schemas of the files of tents.
import { AssetId, TentId } from "@tentpole/core/kernel/Ids"
import type { Asset } from "@tentpole/core/tents/assets/Asset"
import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { InstantWire, iso } from "../../../Wire.ts"
import { part_name } from "./UploadedFile.ts"

/** A multipart body with one file. The handler reads the stream; this schema is for the OpenAPI document. */
export const AssetUpload = Schema.Struct({
  [part_name]: Multipart.SingleFileSchema.annotate({
    description:
      "A file such as a brief, a logo, a spreadsheet or a picture. At most 25 MB, unless configured otherwise",
  }),
}).pipe(HttpApiSchema.asMultipartStream())

export const AssetWire = Schema.Struct({
  actual_tent_id: TentId.annotate({ description: "The tent that holds the file" }),
  asset_id: AssetId,
  file_name: Schema.String.annotate({ examples: ["logo.png"] }),
  content_type: Schema.String.annotate({
    description: "Detected from the content of the file",
    examples: ["image/png"],
  }),
  size_bytes: Schema.Int,
  created_at: InstantWire,
}).annotate({ identifier: "Asset" })

export const AssetsWire = Schema.Struct({ assets: Schema.Array(AssetWire) }).annotate({ identifier: "Assets" })

export const toAssetWire = (asset: Asset): typeof AssetWire.Type => ({
  actual_tent_id: asset.tentId,
  asset_id: asset.id,
  file_name: asset.fileName,
  content_type: asset.contentType,
  size_bytes: asset.size_bytes,
  created_at: iso(asset.createdAt),
})

export const toAssetsWire = (assets: ReadonlyArray<Asset>): typeof AssetsWire.Type => ({
  assets: assets.map(toAssetWire),
})
