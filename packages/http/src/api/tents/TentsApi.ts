// The endpoints of tents.
import { TentId } from "@tentpole/core/kernel/Ids"
import { tentStatuses } from "@tentpole/core/tents/Tent"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, nothing, oneOf, pollHeaders, searchParameter } from "../../Wire.ts"
import { CreateTent, PublishedTent, PublishTent, TentAccepted, TentDeleted, TentsAnswer, TentWire } from "./TentWire.ts"

const params = { tentId: TentId }

const page = HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" })(Schema.String)

const TentsQuery = Schema.Struct({
  ...cursorQuery,
  status: Schema.optionalKey(oneOf(...tentStatuses)),
  search: searchParameter,
})

export const TentsApi = Endpoint.group("tents", "Tents: pages that are generated, published and unpublished.").add(
  Endpoint.post("create", "/v1/tents", {
    summary: "Create a tent",
    description:
      "Starts to generate a page with AI, in a new tent or in the idle tent `tent_id` that holds uploaded files. It costs one credit, which is refunded if the generation fails. Poll `GET /v1/tents/{tentId}` for progress. With `template_id`, the page is based on the approved version of the template.",
    payload: CreateTent,
    success: TentAccepted.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "template_not_approved", "conflict", "INVALID_PROMPT_INTENT", "insufficient_credits"],
  }),
  Endpoint.get("list", "/v1/tents", {
    summary: "List tents",
    description: "Returns tents, the newest first.",
    query: TentsQuery,
    success: TentsAnswer,
    errors: ["invalid_cursor"],
  }),
  Endpoint.get("show", "/v1/tents/:tentId", {
    summary: "Get a tent",
    description:
      "Returns the status of the generation and, once requested, of the publication. `Retry-After` is set while work is in progress.",
    params,
    success: HttpApiSchema.WithHeaders(TentWire, pollHeaders),
    errors: ["not_found"],
  }),
  Endpoint.get("content", "/v1/tents/:tentId/content", {
    summary: "Get a tent's page",
    description:
      "Returns the generated page as it is before publication: without the branding line, and with inactive forms.",
    params,
    success: HttpApiSchema.WithHeaders(page, { "content-security-policy": Schema.String }),
    errors: ["not_found", "tent_not_ready"],
  }),
  Endpoint.post("publish", "/v1/tents/:tentId/publish", {
    summary: "Publish a tent",
    description:
      "Publishes the page, or publishes it again with another alias or branding. If the page is already live, it returns 200 and changes nothing. Over the plan's limit it returns 429, and the failure is also stored in the tent's `publication`.",
    params,
    payload: PublishTent,
    success: PublishedTent,
    errors: ["not_found", "tent_not_ready", "alias_taken", "publish_limit_exceeded"],
  }),
  Endpoint.post("unpublish", "/v1/tents/:tentId/unpublish", {
    summary: "Unpublish a tent",
    description: "Takes the page offline. Its alias stays reserved, and publishing again restores the page.",
    params,
    payload: nothing,
    success: PublishedTent,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.delete("remove", "/v1/tents/:tentId", {
    summary: "Delete a tent",
    description:
      "Deletes the tent with its page, files, alias, submissions and views. A generation in progress is stopped and its credit is refunded.",
    params: {
      tentId: Schema.String.annotate({
        description: "A tent id, its current alias, or `__index__` for the page at the root",
      }),
    },
    success: TentDeleted,
    errors: ["not_found", "validation_failed"],
  }),
)
