// The endpoints of tents, and their schemas.
import { AssetId, GenerationId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { asset_ids_max } from "@tentpole/core/tents/NewTent"
import { generationStatuses } from "@tentpole/core/documents/Generation"
import {
  liveVersionOf,
  page_prompt_length_max,
  type Publication,
  type Tent,
  tent_name_length_max,
  tentStatuses,
  user_id_length_max,
  versionMakers,
} from "@tentpole/core/tents/Tent"
import type { TentView } from "@tentpole/core/tents/Tents"
import type { ListedVersion } from "@tentpole/core/tents/TentVersions"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import {
  cursorQuery,
  InstantWire,
  iso,
  listing,
  nothing,
  oneOf,
  pollHeaders,
  searchParameter,
  Text,
  whole,
} from "../../Wire.ts"
import { contentQuery, GeneratedBy, generationOf, Prompt } from "../documents/ContentWire.ts"

const CodeAndMessage = Schema.Struct({ code: Schema.String, message: Schema.String })

export const PublicationWire = Schema.Struct({
  status: Schema.Literals(["pending", "published", "failed", "unpublished"]),
  published_url: Schema.optionalKey(Schema.String.annotate({ description: "Public URL while it is published" })),
  requested_custom_page_alias: Schema.optionalKey(Schema.String),
  applied_custom_page_alias: Schema.optionalKey(Schema.String),
  warnings: Schema.optionalKey(Schema.Array(CodeAndMessage)),
  error: Schema.optionalKey(CodeAndMessage),
}).annotate({ identifier: "Publication", description: "Outcome of the publication; absent until it was requested" })

const status = Schema.Literals(tentStatuses).annotate({
  description: "`pending`: idle, without a generation",
})

/** Which version is the newest, and which one visitors see. */
const versionFields = {
  current_version: Schema.Int.annotate({ description: "The newest version of the page; 0 before the first" }),
  live_version: Schema.NullOr(Schema.Int).annotate({ description: "The published version; null while none is public" }),
}

export const TentWire = Schema.Struct({
  id: TentId,
  name: Schema.String,
  prompt: Schema.NullOr(Schema.String).annotate({ description: "null: idle, or created with `html`" }),
  status,
  ...versionFields,
  revision_status: Schema.optionalKey(
    Schema.Literals(generationStatuses).annotate({
      description: "Status of the last revision; absent if there was none",
    }),
  ),
  created_at: InstantWire,
  updated_at: InstantWire.annotate({ description: "Time of the last change" }),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why the generation failed" })),
  publication: Schema.optionalKey(PublicationWire),
  generated_by: GeneratedBy,
}).annotate({ identifier: "Tent" })

export const ListedTentWire = Schema.Struct({
  id: TentId,
  name: Schema.String,
  status,
  created_at: InstantWire,
  updated_at: InstantWire,
  publication: Schema.optionalKey(PublicationWire),
  generated_by: GeneratedBy,
}).annotate({ identifier: "ListedTent" })

export const TentsAnswer = listing({ tents: Schema.Array(ListedTentWire) }).annotate({ identifier: "Tents" })

const alias = Schema.String.annotate({
  description:
    "At most 100 lowercase letters, digits, hyphens, underscores and dots, starting with a letter or digit; `/` for the root of the domain",
  examples: ["spring-sale"],
})

const PageHtml = Schema.String.annotate({
  description: "At most 2 MB. Active content is removed: scripts, event handlers, frames, external form targets",
})

export const SetPage = Schema.Struct({ html: PageHtml }).annotate({ identifier: "SetPage" })

export const UpdateTent = Schema.Struct({ name: Text(tent_name_length_max, 1) }).annotate({ identifier: "UpdateTent" })

export const ReviseTent = Schema.Struct({
  instruction: Prompt.annotate({ examples: ["Make the headline shorter and the form blue"] }),
}).annotate({ identifier: "ReviseTent", description: "The AI writes the next version from the current one" })

export const TentRevisionWire = generationOf({ tent_id: TentId }, "TentRevision")

export const PageVersionsWire = listing({
  versions: Schema.Array(
    Schema.Struct({
      version: Schema.Int,
      made_by: Schema.Literals(versionMakers).annotate({ description: "`upload`: set or restored by a call" }),
      by_name: Schema.String.annotate({ description: "Name of the API key that set or requested it" }),
      bytes: Schema.Int,
      approved: Schema.Boolean.annotate({ description: "Whether it is the published version" }),
      created_at: InstantWire,
    }).annotate({ identifier: "PageVersion" }),
  ),
}).annotate({ identifier: "PageVersions" })

export const CreateTent = Schema.Struct({
  name: Text(tent_name_length_max, 1).annotate({ examples: ["Spring sale"] }),
  prompt: Schema.optionalKey(
    Text(page_prompt_length_max, 1).annotate({
      description: "Required without `html`. Must ask for web content, otherwise 400 `INVALID_PROMPT_INTENT`",
      examples: ["Create a landing page for our spring sale of garden chairs, with a sign-up form"],
    }),
  ),
  input_data: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Any).annotate({
      message: "must be an object",
      description:
        "Values of the `{{api.…}}` variables in the template and the prompt, by name, and further content of the page. A variable without a value is refused",
      examples: [{ city: "Ulm", opening: "9 to 17 h" }],
    }),
  ),
  html: Schema.optionalKey(
    PageHtml.annotate({
      description:
        "The page, instead of `prompt`: at most 2 MB, cleaned of active content. Not with `input_data`, `template_id`, `include_brand` and `asset_ids`",
    }),
  ),
  user_id: Schema.optionalKey(
    Text(user_id_length_max).annotate({ description: "External id of the creator, stored with the tent" }),
  ),
  include_brand: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Gives the AI the brand of the workspace: logo, icon, color, name, domain, description, guidelines",
    }),
  ),
  template_id: Schema.optionalKey(
    TentTemplateId.annotate({ description: "An approved tent template to base the page on" }),
  ),
  auto_publish: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Publishes the page when it is generated. Needs the role `sender`" }),
  ),
  custom_page_alias: Schema.optionalKey(
    alias.annotate({
      description:
        "Requires `auto_publish: true`. If the alias is taken, the page gets the suffix -2, -3 … and the warning `alias_adjusted`. If `/` is taken, it gets the default address",
    }),
  ),
  tent_id: Schema.optionalKey(TentId.annotate({ description: "An idle tent that an upload created" })),
  asset_ids: Schema.optionalKey(
    Schema.Array(AssetId)
      .check(Schema.isMaxLength(asset_ids_max, { message: `must have at most ${asset_ids_max} ids` }))
      .annotate({ description: "Files of that tent for the AI. Requires `tent_id`" }),
  ),
}).annotate({ identifier: "CreateTent" })

export const TentAccepted = Schema.Struct({
  id: TentId,
  status: Schema.Literal("pending"),
  created_at: InstantWire,
}).annotate({ identifier: "TentAccepted" })

export const PublishTent = Schema.Struct({
  custom_page_alias: Schema.optionalKey(
    Schema.NullOr(alias).annotate({ description: "Omitted: unchanged. null: the default address" }),
  ),
  remove_branding: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Omitted: unchanged. Takes effect if the plan allows it" }),
  ),
}).annotate({ identifier: "PublishTent" })

export const PublishedTent = Schema.Struct({
  id: TentId,
  updated_at: InstantWire,
  message: Schema.String,
  ...versionFields,
  publication: PublicationWire,
}).annotate({ identifier: "PublishedTent" })

export const TentDeleted = Schema.Struct({ message: Schema.String, tent_id: TentId }).annotate({
  identifier: "TentDeleted",
})

/** The answer of a creation: the tent if it has its page, else its id. */
export const toCreatedTent = (shown: TentView): typeof TentAccepted.Type | typeof TentWire.Type =>
  shown.tent.currentVersion > 0
    ? toTentWire(shown)
    : { id: shown.tent.id, status: "pending", created_at: iso(shown.tent.createdAt) }

const publicationOf = ({ tent, url }: TentView, publication: Publication): typeof PublicationWire.Type => ({
  status: publication.status,
  ...(url === null ? {} : { published_url: url }),
  ...(publication.requestedAlias === null ? {} : { requested_custom_page_alias: publication.requestedAlias }),
  ...(tent.alias === null ? {} : { applied_custom_page_alias: tent.alias }),
  ...(publication.status === "published" && publication.warnings.length > 0 ? { warnings: publication.warnings } : {}),
  ...(publication.status === "failed" ? { error: publication.error } : {}),
})

export const ofPublication = (shown: TentView) =>
  shown.tent.publication === null ? {} : { publication: publicationOf(shown, shown.tent.publication) }

const shared = (shown: TentView) => ({
  id: shown.tent.id,
  status: shown.tent.generation.status,
  created_at: iso(shown.tent.createdAt),
  updated_at: iso(shown.tent.updatedAt),
  generated_by: shown.tent.generatedBy,
  ...ofPublication(shown),
})

const versionsOf = (tent: Tent) => ({ current_version: tent.currentVersion, live_version: liveVersionOf(tent) })

export const toTentWire = (shown: TentView): typeof TentWire.Type => {
  const { generation, name, request, revisionStatus } = shown.tent
  return {
    ...shared(shown),
    name,
    prompt: request?.prompt ?? null,
    ...versionsOf(shown.tent),
    ...(revisionStatus === null ? {} : { revision_status: revisionStatus }),
    ...(generation.status === "failed" ? { error: generation.error } : {}),
  }
}

export const toPageVersion = ({ version, madeBy, byName, size_bytes, live, createdAt }: ListedVersion) => ({
  version,
  made_by: madeBy,
  by_name: byName,
  bytes: size_bytes,
  approved: live,
  created_at: iso(createdAt),
})

export const toListedTent = (shown: TentView): typeof ListedTentWire.Type => ({
  ...shared(shown),
  name: shown.tent.name,
})

export const toPublished =
  (message: (shown: TentView) => string) =>
  (shown: TentView): typeof PublishedTent.Type => ({
    id: shown.tent.id,
    updated_at: iso(shown.tent.updatedAt),
    message: message(shown),
    ...versionsOf(shown.tent),
    publication:
      shown.tent.publication === null ? { status: "unpublished" } : publicationOf(shown, shown.tent.publication),
  })

const page = HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" })(Schema.String)

const TentsQuery = Schema.Struct({
  ...cursorQuery,
  status: Schema.optionalKey(oneOf(...tentStatuses)),
  search: searchParameter,
})

export const TentsApi = Endpoint.group("tents", "Tents: pages that are generated, published and unpublished.").add(
  Endpoint.post("create", "/v1/tents", {
    needs: "editor",
    summary: "Create a tent",
    description:
      "With `html`, it creates the page and returns 201 with the tent. With a `prompt`, it starts to generate a page with AI and returns 202, in a new tent or in the idle tent `tent_id` that holds uploaded files. It costs one credit, which is refunded if the generation fails. Poll `GET /v1/tents/{tentId}` for progress. With `template_id`, the page is based on the approved version of the template.",
    payload: CreateTent,
    success: [
      // The larger one first: an answer is encoded by the first schema that matches.
      TentWire.pipe(HttpApiSchema.status(201)),
      TentAccepted.pipe(HttpApiSchema.status(202)),
    ],
    errors: [
      "payload_too_large",
      "too_complex",
      "not_found",
      "template_not_approved",
      "conflict",
      "INVALID_PROMPT_INTENT",
      "insufficient_credits",
    ],
  }),
  Endpoint.get("list", "/v1/tents", {
    needs: "viewer",
    summary: "List tents",
    description: "Returns tents, the newest first.",
    query: TentsQuery,
    success: TentsAnswer,
    errors: ["invalid_cursor"],
  }),
  Endpoint.get("show", "/v1/tents/:tentId", {
    needs: "viewer",
    summary: "Get a tent",
    description:
      "Returns the status of the generation and, once requested, of the publication. `Retry-After` is set while work is in progress.",
    success: HttpApiSchema.WithHeaders(TentWire, pollHeaders),
  }),
  Endpoint.get("content", "/v1/tents/:tentId/content", {
    needs: "viewer",
    summary: "Get a tent's page",
    description:
      "Returns the current version of the page, or the version in `version`, as it is before publication: without the branding line, and with inactive forms.",
    query: contentQuery,
    success: HttpApiSchema.WithHeaders(page, { "content-security-policy": Schema.String }),
    errors: ["not_found", "tent_not_ready"],
  }),
  Endpoint.patch("update", "/v1/tents/:tentId", {
    needs: "editor",
    summary: "Rename a tent",
    description: "Changes the name of the tent. The page and its address do not change.",
    payload: UpdateTent,
    success: TentWire,
  }),
  Endpoint.put("setContent", "/v1/tents/:tentId/content", {
    needs: "editor",
    summary: "Set a tent's page",
    description:
      "Creates a new version, which is then the current one. Visitors see the published version until the tent is published again. An idle tent, or one whose generation failed, is completed by it.",
    payload: SetPage,
    success: TentWire,
    errors: ["not_found", "validation_failed", "payload_too_large", "generation_in_progress"],
  }),
  Endpoint.post("revise", "/v1/tents/:tentId/revise", {
    needs: "editor",
    summary: "Revise a tent's page",
    description:
      "Requests the next version from the AI, which changes the current one as instructed. It costs one credit, which is refunded if the revision fails. Sample text follows simple instructions only; `error` of the generation says which. One revision runs at a time. Versions that are set meanwhile stay.",
    payload: ReviseTent,
    success: TentRevisionWire.pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "validation_failed", "tent_not_ready", "generation_in_progress", "insufficient_credits"],
  }),
  Endpoint.get("revision", "/v1/tents/:tentId/generations/:generationId", {
    needs: "viewer",
    summary: "Get a revision of a tent's page",
    description: "Returns the status of the revision. `Retry-After` is set while it is in progress.",
    params: { tentId: TentId, generationId: GenerationId },
    success: HttpApiSchema.WithHeaders(TentRevisionWire, pollHeaders),
  }),
  Endpoint.get("versions", "/v1/tents/:tentId/versions", {
    needs: "viewer",
    summary: "List the versions of a tent's page",
    description: "Returns the versions, the newest first.",
    query: cursorQuery,
    success: PageVersionsWire,
    errors: ["not_found", "invalid_cursor"],
  }),
  Endpoint.post("restore", "/v1/tents/:tentId/versions/:n/restore", {
    needs: "editor",
    summary: "Restore a version of a tent's page",
    description:
      "Creates a new version with the HTML of an earlier one. Visitors see the published version until the tent is published again. To restore the current version changes nothing.",
    params: { tentId: TentId, n: whole(1, 1_000_000_000) },
    payload: nothing,
    success: TentWire,
    errors: ["not_found", "generation_in_progress"],
  }),
  Endpoint.post("publish", "/v1/tents/:tentId/publish", {
    needs: "sender",
    summary: "Publish a tent",
    description:
      "Publishes the current version, or publishes it again with another alias or branding. Later changes of the page need another publication. If the same page is already live, it returns 200 and changes nothing. Over the plan's limit it returns 429, and the failure is also stored in the tent's `publication`.",
    payload: PublishTent,
    success: PublishedTent,
    errors: ["not_found", "tent_not_ready", "alias_taken", "publish_limit_exceeded"],
  }),
  Endpoint.post("unpublish", "/v1/tents/:tentId/unpublish", {
    needs: "sender",
    summary: "Unpublish a tent",
    description: "Takes the page offline. Its alias stays reserved, and publishing again restores the page.",
    payload: nothing,
    success: PublishedTent,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.delete("remove", "/v1/tents/:tentId", {
    needs: "editor",
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
