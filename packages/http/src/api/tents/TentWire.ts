// Wire schemas of tents.
import { AssetId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { asset_ids_max } from "@tentpole/core/tents/NewTent"
import {
  tentStatuses,
  type Publication,
  page_prompt_length_max,
  type Tent,
  tent_name_length_max,
  user_id_length_max,
} from "@tentpole/core/tents/Tent"
import type { TentView } from "@tentpole/core/tents/Tents"
import { Schema } from "effect"
import { InstantWire, iso, Text } from "../../Wire.ts"

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

export const TentWire = Schema.Struct({
  id: TentId,
  status,
  created_at: InstantWire,
  updated_at: InstantWire.annotate({ description: "Time of the last status change" }),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why the generation failed" })),
  publication: Schema.optionalKey(PublicationWire),
}).annotate({ identifier: "Tent" })

export const ListedTentWire = Schema.Struct({
  id: TentId,
  name: Schema.String,
  status,
  created_at: InstantWire,
  updated_at: InstantWire,
  publication: Schema.optionalKey(PublicationWire),
}).annotate({ identifier: "ListedTent" })

export const TentsAnswer = Schema.Struct({
  tents: Schema.Array(ListedTentWire),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Tents" })

const alias = Schema.String.annotate({
  description:
    "At most 100 lowercase letters, digits, hyphens, underscores and dots, starting with a letter or digit; `/` for the root of the domain",
  examples: ["spring-sale"],
})

export const CreateTent = Schema.Struct({
  name: Text(tent_name_length_max, 1).annotate({ examples: ["Spring sale"] }),
  prompt: Text(page_prompt_length_max, 1).annotate({
    description: "Must ask for web content, otherwise 400 `INVALID_PROMPT_INTENT`",
    examples: ["Create a landing page for our spring sale of garden chairs, with a sign-up form"],
  }),
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
  auto_publish: Schema.optionalKey(Schema.Boolean.annotate({ description: "Publishes the page when it is generated" })),
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
  publication: PublicationWire,
}).annotate({ identifier: "PublishedTent" })

export const TentDeleted = Schema.Struct({ message: Schema.String, tent_id: TentId }).annotate({
  identifier: "TentDeleted",
})

export const toAccepted = (tent: Tent): typeof TentAccepted.Type => ({
  id: tent.id,
  status: "pending",
  created_at: iso(tent.createdAt),
})

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
  ...ofPublication(shown),
})

export const toTentWire = (shown: TentView): typeof TentWire.Type => {
  const { generation } = shown.tent
  return { ...shared(shown), ...(generation.status === "failed" ? { error: generation.error } : {}) }
}

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
    publication:
      shown.tent.publication === null ? { status: "unpublished" } : publicationOf(shown, shown.tent.publication),
  })
