// The endpoints of the files of tents, and their schemas.
import { AssetId, TentId } from "@tentpole/core/kernel/Ids"
import type { Asset } from "@tentpole/core/tents/assets/Asset"
import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../../Endpoint.ts"
import { InstantWire, toSnakeCase } from "../../../Wire.ts"
import { part_name } from "./UploadedFile.ts"

/** A multipart body with one file. The handler reads the stream; this schema is for the OpenAPI document. */
const AssetUpload = Schema.Struct({
  [part_name]: Multipart.SingleFileSchema.annotate({
    description:
      "A file such as a brief, a logo, a spreadsheet or a picture. At most 25 MB, unless configured otherwise",
  }),
}).pipe(HttpApiSchema.asMultipartStream())

const AssetWire = Schema.Struct({
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

const AssetsWire = Schema.Struct({ assets: Schema.Array(AssetWire) }).annotate({ identifier: "Assets" })

export const toAssetWire = ({ id, tentId, ...asset }: Asset): typeof AssetWire.Type => ({
  actual_tent_id: tentId,
  asset_id: id,
  ...toSnakeCase(asset),
})

export const toAssetsWire = (assets: ReadonlyArray<Asset>): typeof AssetsWire.Type => ({
  assets: assets.map(toAssetWire),
})

const refusals = ["not_found", "validation_failed", "payload_too_large", "asset_limit_exceeded", "unavailable"] as const

/** The bytes of a file of any type. */
const bytes = HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "*/*" }), {
  "content-disposition": Schema.String,
  "content-security-policy": Schema.String,
})

export const AssetsApi = Endpoint.group("tentAssets", "Files for the prompt of a tent.").add(
  Endpoint.post("uploadFirst", "/v1/tents/new/assets", {
    needs: "editor",
    summary: "Upload a file for a new tent",
    description:
      "Creates an idle tent that holds the file. Pass both ids to `POST /v1/tents` as `tent_id` and `asset_ids`. A rejected file creates no tent.",
    payload: AssetUpload,
    success: AssetWire.pipe(HttpApiSchema.status(201)),
    errors: refusals,
  }),
  Endpoint.post("upload", "/v1/tents/:tentId/assets", {
    needs: "editor",
    summary: "Upload a file to a tent",
    description: "Adds a file to a tent. A tent holds at most 50 files.",
    payload: AssetUpload,
    success: AssetWire.pipe(HttpApiSchema.status(201)),
    errors: refusals,
  }),
  Endpoint.get("list", "/v1/tents/:tentId/assets", {
    needs: "viewer",
    summary: "List a tent's files",
    description: "Returns the files of the tent in the order of their upload.",
    success: AssetsWire,
  }),
  Endpoint.get("content", "/v1/tents/:tentId/assets/:asset_id/content", {
    needs: "viewer",
    summary: "Download a tent's file",
    description: "Returns the uploaded bytes as an attachment with the detected content type.",
    success: bytes,
    errors: ["not_found", "unavailable"],
  }),
  Endpoint.delete("remove", "/v1/tents/:tentId/assets/:asset_id", {
    needs: "editor",
    summary: "Delete a tent's file",
    description: "Deletes the file. A generation that has not sent its request to the AI yet continues without it.",
  }),
)
