// Wire schemas that emails and templates share: versions of HTML, plain text, approval and generations.
import {
  contentStatuses,
  design_bytes_max,
  type Document,
  isStale,
  plain_text_length_max,
  statusOf,
} from "@tentpole/core/documents/Document"
import { type Generation, generationStatuses, prompt_length_max } from "@tentpole/core/documents/Generation"
import type { Designed, ListedVersion } from "@tentpole/core/documents/Documents"
import { contentMakers } from "@tentpole/core/documents/Versions"
import { GenerationId } from "@tentpole/core/kernel/Ids"
import { Schema, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  cursorQuery,
  InstantWire,
  isoOrNull,
  listing,
  oneOf,
  polled,
  searchParameter,
  Text,
  toSnakeCase,
  whole,
} from "../../Wire.ts"

export const Prompt = Schema.String.check(
  Schema.isPattern(/\S/, { message: "must not be empty" }),
  Schema.isMaxLength(prompt_length_max, { message: `must have at most ${prompt_length_max} characters` }),
).annotate({
  description:
    "Instructions for the AI, 1 to 10,000 characters. Costs one credit, which is refunded if the generation fails",
})

export const Html = Schema.String.annotate({
  description:
    "At most 2 MB. Stored byte for byte, except that active content is removed: scripts, event handlers, frames, external form targets",
})

/** Of documents and tents. */
export const GeneratedBy = Schema.NullOr(Schema.String).annotate({
  description:
    "The AI provider that wrote the content: `anthropic`, `openai`, or `sample` for sample text of the fake AI, which follows simple instructions only and fails with the reason otherwise. null: a person wrote or copied it, or there is none yet",
})

export const shownFields = {
  name: Schema.String.annotate({ description: "Internal name" }),
  status: Schema.Literals(contentStatuses),
  current_version: Schema.Int.annotate({ description: "The newest completed version; 0 before the first" }),
  approved_version: Schema.NullOr(Schema.Int).annotate({ description: "The version that is used; null for a draft" }),
  number_of_iterations: Schema.Int.annotate({ description: "Equal to `current_version`" }),
  created_at: InstantWire,
  updated_at: InstantWire,
  created_by_name: Schema.String.annotate({ description: "Name of the API key or user that created it" }),
  generated_by: GeneratedBy,
  latest_generation_status: Schema.Literals(generationStatuses).annotate({
    description: "Status of the last generation; `completed` if there was none",
  }),
  content_path: Schema.String.annotate({ description: "Path of the latest HTML" }),
}

/** `path` is the document's. */
export const toShownFields = (it: Document, path: string) => ({
  ...toSnakeCase(Struct.pick(it, ["name", "currentVersion", "createdAt", "updatedAt", "createdByName", "generatedBy"])),
  status: statusOf(it),
  approved_version: it.approval?.version ?? null,
  number_of_iterations: it.currentVersion,
  // Uploaded HTML and scaffolds are completed versions.
  latest_generation_status: it.generationStatus ?? ("completed" as const),
  content_path: `${path}/content`,
})

export const plainTextFields = {
  plain_text_overridden: Schema.Boolean,
  plain_text_overridden_at: Schema.NullOr(InstantWire),
  plain_text_stale_after_html_iteration: Schema.Boolean.annotate({
    description: "True if the HTML changed after the plain text was overridden",
  }),
  plain_text_path: Schema.String.annotate({ description: "Path of the plain text" }),
}

export const toPlainTextFields = ({ plainText, currentVersion }: Document, path: string) => ({
  plain_text_overridden: plainText !== null,
  plain_text_overridden_at: isoOrNull(plainText?.at ?? null),
  plain_text_stale_after_html_iteration: isStale(plainText, currentVersion),
  plain_text_path: `${path}/plain-text`,
})

/** A further field of answers that started a generation. */
export const generationField = {
  generation_id: GenerationId.annotate({ description: "Poll it at …/generations/{generationId}" }),
}

export const listQuery = {
  ...cursorQuery,
  status: Schema.optionalKey(oneOf(...contentStatuses)),
  search: searchParameter,
}

export const contentQuery = {
  version: Schema.optionalKey(whole(1, 1_000_000_000)).annotate({ description: "Default: the current version" }),
}

const Design = Schema.Struct({
  editor: Text(100, 1).annotate({ description: "The name of the editor" }),
  document: Schema.Unknown.annotate({ description: "What the editor needs to go on. No other program reads it" }),
}).annotate({
  identifier: "Design",
  description: `The document of a block editor that wrote the HTML; at most ${design_bytes_max.toLocaleString("en")} bytes as JSON`,
})

export const SetContent = Schema.Struct({
  html: Html,
  design: Schema.optionalKey(Schema.NullOr(Design)),
}).annotate({ identifier: "SetContent" })

export const toContent = ({ design, html }: typeof SetContent.Type) => ({
  html,
  design: design === undefined || design === null ? null : JSON.stringify(design),
})

export const DesignedWire = Schema.Struct({
  version: Schema.Int,
  html: Schema.String,
  design: Schema.NullOr(Design).annotate({ description: "null: the HTML was not written with blocks" }),
}).annotate({ identifier: "DesignedContent" })

export const toDesigned = ({ design, ...it }: Designed): typeof DesignedWire.Type => ({
  ...it,
  design: design === null ? null : (JSON.parse(design) as typeof Design.Type),
})

export const SetPlainText = Schema.Struct({ text: Text(plain_text_length_max) }).annotate({
  identifier: "SetPlainText",
})

export const AskForVersion = Schema.Struct({ prompt: Prompt }).annotate({
  identifier: "AskForVersion",
  description: "The AI bases the next version on the current one",
})

export const Approve = Schema.Struct({
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { message: "must be a whole number from 1" })),
  ).annotate({ description: "The version to approve. Refused if it is not the newest" }),
}).annotate({ identifier: "Approve" })

export const ContentVersionsWire = listing({
  versions: Schema.Array(
    Schema.Struct({
      version: Schema.Int,
      made_by: Schema.Literals(contentMakers).annotate({
        description: "`upload`: set by a call, or copied. `template`: from an approved template",
      }),
      by_name: Schema.String.annotate({ description: "Name of the API key that set or requested it" }),
      bytes: Schema.Int,
      approved: Schema.Boolean.annotate({ description: "Whether it is the approved version" }),
      created_at: InstantWire,
    }).annotate({ identifier: "ContentVersion" }),
  ),
}).annotate({ identifier: "ContentVersions" })

export const toVersionWire = ({ size_bytes, ...version }: ListedVersion) => ({
  ...toSnakeCase(version),
  bytes: size_bytes,
})

const generationFields = {
  generation_id: GenerationId,
  status: Schema.Literals(generationStatuses),
  prompt: Schema.String,
  version: Schema.NullOr(Schema.Int).annotate({ description: "The version that it created; null before" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why it failed" }),
  created_at: InstantWire,
  completed_at: Schema.NullOr(InstantWire),
  created_by_name: Schema.String,
}

/** A new document, with its generation when the AI writes it. */
export const toCreated =
  <D, Wire extends object>(toWire: (document: D) => Wire) =>
  ({ document, generationId }: { readonly document: D; readonly generationId: GenerationId | null }) =>
    generationId === null ? toWire(document) : { ...toWire(document), generation_id: generationId }

/** A generation of a document whose id these fields are. */
export const generationOf = <Owner extends Schema.Struct.Fields>(owner: Owner, identifier: string) =>
  Schema.Struct({ ...generationFields, ...owner }).annotate({ identifier })

export const toGeneration =
  <Owner extends object>(owner: Owner) =>
  ({ createdBy: _, id, ...generation }: Generation) => ({ generation_id: id, ...owner, ...toSnakeCase(generation) })

export const toPolled =
  <Owner extends object>(owner: Owner) =>
  (it: Generation) =>
    polled(toGeneration(owner)(it), it.status === "generating")

/** Headers that keep user content from acting on the API's origin. */
const servedHeaders = { "content-security-policy": "sandbox", "x-content-type-options": "nosniff" } as const

export const served = (contentType: string) =>
  HttpApiSchema.WithHeaders(
    Schema.String.pipe(HttpApiSchema.asText({ contentType: `${contentType}; charset=utf-8` })),
    {
      "content-security-policy": Schema.Literal(servedHeaders["content-security-policy"]),
      "x-content-type-options": Schema.Literal(servedHeaders["x-content-type-options"]),
    },
  )

export const toServed = (body: string) => HttpApiSchema.withHeaders({ body, headers: servedHeaders })
