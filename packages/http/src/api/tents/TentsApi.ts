// The calls on tents.
import { TentId } from "@tentpole/core/Ids"
import { generationStatuses } from "@tentpole/core/tents/Tent"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { errors } from "../../Errors.ts"
import { cursorQuery, Nothing, oneOf, searchParameter } from "../../Wire.ts"
import { CreateTent, PublishedTent, PublishTent, TentAccepted, TentDeleted, TentsAnswer, TentWire } from "./TentWire.ts"

const params = { tentId: TentId }

/** While work is in progress: how many seconds to wait before asking again. */
const retryAfter = { "retry-after": Schema.optionalKey(Schema.String) }

const page = HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" })(Schema.String)

export const TentsQuery = Schema.Struct({
  ...cursorQuery,
  status: Schema.optionalKey(oneOf(...generationStatuses)),
  search: searchParameter,
})

export const TentsApi = HttpApiGroup.make("tents")
  .add(
    HttpApiEndpoint.post("create", "/v1/tents", {
      payload: CreateTent,
      success: TentAccepted.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "template_not_approved", "conflict", "INVALID_PROMPT_INTENT", "insufficient_credits"),
    }),
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/tents", {
      query: TentsQuery,
      success: TentsAnswer,
      error: errors("invalid_cursor"),
    }),
  )
  .add(
    HttpApiEndpoint.get("show", "/v1/tents/:tentId", {
      params,
      success: HttpApiSchema.WithHeaders(TentWire, retryAfter),
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.get("content", "/v1/tents/:tentId/content", {
      params,
      success: HttpApiSchema.WithHeaders(page, { "content-security-policy": Schema.String }),
      error: errors("not_found", "tent_not_ready"),
    }),
  )
  .add(
    HttpApiEndpoint.post("publish", "/v1/tents/:tentId/publish", {
      params,
      payload: PublishTent,
      success: PublishedTent,
      error: errors("not_found", "tent_not_ready", "alias_taken", "publish_limit_exceeded"),
    }),
  )
  .add(
    HttpApiEndpoint.post("unpublish", "/v1/tents/:tentId/unpublish", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: PublishedTent,
      error: errors("not_found", "invalid_state"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/tents/:tentId", {
      params: {
        tentId: Schema.String.annotate({ description: "A tent's id, its current alias, or __index__ for the root" }),
      },
      success: TentDeleted,
      error: errors("not_found", "validation_failed"),
    }),
  )
