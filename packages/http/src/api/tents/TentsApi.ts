// The calls on tents.
import { TentId } from "@tentpole/core/kernel/Ids"
import { generationStatuses } from "@tentpole/core/tents/Tent"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { cursorQuery, Nothing, oneOf, searchParameter } from "../../Wire.ts"
import { CreateTent, PublishedTent, PublishTent, TentAccepted, TentDeleted, TentsAnswer, TentWire } from "./TentWire.ts"

const params = { tentId: TentId }

const described = (text: string) => [OpenApi.Description, text] as const

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
    })
      .annotate(OpenApi.Summary, "Create a tent")
      .annotate(
        ...described(
          "Accepts a page to be made by AI, into a new tent or into an idle one (`tent_id`, from an upload). It takes one credit, given back if the generation fails. Follow it with `GET /v1/tents/{tentId}`. With `template_id` the page is built on what the template's approval froze, and the prompt need not ask for a page as plainly.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/tents", {
      query: TentsQuery,
      success: TentsAnswer,
      error: errors("invalid_cursor"),
    })
      .annotate(OpenApi.Summary, "List tents")
      .annotate(...described("Tents, the newest first.")),
  )
  .add(
    HttpApiEndpoint.get("show", "/v1/tents/:tentId", {
      params,
      success: HttpApiSchema.WithHeaders(TentWire, retryAfter),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a tent")
      .annotate(...described("How far the generation is, and what became of publishing once that was asked for.")),
  )
  .add(
    HttpApiEndpoint.get("content", "/v1/tents/:tentId/content", {
      params,
      success: HttpApiSchema.WithHeaders(page, { "content-security-policy": Schema.String }),
      error: errors("not_found", "tent_not_ready"),
    })
      .annotate(OpenApi.Summary, "Read a tent's page")
      .annotate(
        ...described(
          "The generated page, as it is before it is published: without the line, and with forms that lead nowhere.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("publish", "/v1/tents/:tentId/publish", {
      params,
      payload: PublishTent,
      success: PublishedTent,
      error: errors("not_found", "tent_not_ready", "alias_taken", "publish_limit_exceeded"),
    })
      .annotate(OpenApi.Summary, "Publish a tent")
      .annotate(
        ...described(
          "Publishes the page, or publishes it anew under another alias or with other branding. A page that is live already is 200, and nothing changes. Over the plan's limit it is 429, and the failure also stands in the tent's `publication`.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("unpublish", "/v1/tents/:tentId/unpublish", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: PublishedTent,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Unpublish a tent")
      .annotate(...described("Takes the page away. Its alias stays reserved for it: publishing again restores it.")),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/tents/:tentId", {
      params: {
        tentId: Schema.String.annotate({ description: "A tent's id, its current alias, or __index__ for the root" }),
      },
      success: TentDeleted,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Delete a tent")
      .annotate(
        ...described(
          "Deletes the tent with everything that is its own: page, files, alias, submissions, views. A generation under way is stopped, and its credit given back. `tentId` may be the tent's id, its current alias, or `__index__` for the page at the root.",
        ),
      ),
  )
