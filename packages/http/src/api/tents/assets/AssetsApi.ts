// The calls on files of tents.
import { AssetId, TentId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../../edge/Errors.ts"
import { AssetsWire, AssetUpload, AssetWire } from "./AssetWire.ts"

const tent = { tentId: TentId }
const asset = { ...tent, asset_id: AssetId }

const described = (text: string) => [OpenApi.Description, text] as const

const refusals = errors("not_found", "validation_failed", "payload_too_large", "asset_limit_exceeded", "unavailable")

/** Of the type that the file is found to have, which may be any. */
const bytes = HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "*/*" }), {
  "content-disposition": Schema.String,
  "content-security-policy": Schema.String,
})

export const AssetsApi = HttpApiGroup.make("tentAssets")
  .add(
    HttpApiEndpoint.post("uploadFirst", "/v1/tents/new/assets", {
      payload: AssetUpload,
      success: AssetWire.pipe(HttpApiSchema.status(201)),
      error: refusals,
    })
      .annotate(OpenApi.Summary, "Upload a file for a tent to be made")
      .annotate(
        ...described(
          "Makes an idle tent that holds the file. Both ids go into `POST /v1/tents`, as `tent_id` and `asset_ids`. A file that is refused makes no tent.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("upload", "/v1/tents/:tentId/assets", {
      params: tent,
      payload: AssetUpload,
      success: AssetWire.pipe(HttpApiSchema.status(201)),
      error: refusals,
    })
      .annotate(OpenApi.Summary, "Upload a file to a tent")
      .annotate(...described("Adds a file to a tent, which holds at most 50.")),
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/tents/:tentId/assets", {
      params: tent,
      success: AssetsWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "List a tent's files")
      .annotate(...described("The tent's files, in the order in which they came.")),
  )
  .add(
    HttpApiEndpoint.get("content", "/v1/tents/:tentId/assets/:asset_id/content", {
      params: asset,
      success: bytes,
      error: errors("not_found", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Download a tent's file")
      .annotate(
        ...described(
          "The bytes as they were uploaded, as an attachment with the type that they have: no browser shows them here.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/tents/:tentId/assets/:asset_id", {
      params: asset,
      success: HttpApiSchema.NoContent,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Delete a tent's file")
      .annotate(...described("Deletes the file. A generation that has not asked the AI yet goes on without it.")),
  )
