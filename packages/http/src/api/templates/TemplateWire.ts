// What both kinds of templates look like on the wire, and how their HTML is served.
import { type Generation, generationStatuses, prompt_length_max } from "@tentpole/core/content/Generation"
import { GenerationId } from "@tentpole/core/Ids"
import type { ShownTemplate, TemplateKind } from "@tentpole/core/templates/Template"
import { statusOf, templateStatuses } from "@tentpole/core/templates/Template"
import { template_name_length_max } from "@tentpole/core/templates/TemplateChange"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { cursorQuery, InstantWire, iso, isoOrNull, oneOf, readOnly, searchParameter, whole } from "../../Wire.ts"

const within = (length_max: number) =>
  [
    Schema.isPattern(/\S/, { message: "must not be empty" }),
    Schema.isMaxLength(length_max, { message: `must have at most ${length_max} characters` }),
  ] as const

export const TemplateName = Schema.String.check(...within(template_name_length_max)).annotate({
  description: "Internal name, 1 to 200 characters",
})

export const Prompt = Schema.String.check(...within(prompt_length_max)).annotate({
  description: "What the AI is asked for, 1 to 10,000 characters. Takes a credit, which is given back when it fails",
})

export const Html = Schema.String.annotate({
  description:
    "At most 2 MB. What could act by itself (scripts, event handlers, frames, foreign form targets) is taken out",
})

/** What both kinds show. */
export const shownFields = {
  name: Schema.String.annotate({ description: "Internal" }),
  status: Schema.Literals(templateStatuses),
  current_version: Schema.Int.annotate({ description: "The newest completed version; 0 until the first is done" }),
  approved_version: Schema.NullOr(Schema.Int).annotate({ description: "What is built on; null: a draft" }),
  number_of_iterations: Schema.Int.annotate({ description: "Equals current_version" }),
  created_at: InstantWire,
  updated_at: InstantWire,
  created_by_name: Schema.String.annotate({ description: "Name of the API key or user" }),
  latest_generation_status: Schema.NullOr(Schema.Literals(generationStatuses)).annotate({
    description: "Of the last writing that the AI was asked for; `completed` where nothing but HTML was given",
  }),
  content_path: Schema.String.annotate({ description: "Path of the latest HTML" }),
}

export const generationField = {
  generation_id: GenerationId.annotate({ description: "Poll it at /generations/{generationId}" }),
}

/** Keys that are shown and can't be set. */
export const readOnlyFields = {
  template_id: readOnly(),
  status: readOnly("is read-only: approve and unapprove change it"),
  current_version: readOnly(),
  approved_version: readOnly(),
  number_of_iterations: readOnly(),
  source_type: readOnly(),
  created_at: readOnly(),
  updated_at: readOnly(),
  created_by_name: readOnly(),
  latest_generation_status: readOnly(),
  content_path: readOnly(),
}

export const toShownFields = <Kind extends TemplateKind>({ template, latest }: ShownTemplate<Kind>, path: string) => ({
  name: template.name,
  status: statusOf(template),
  current_version: template.currentVersion,
  approved_version: template.approval?.version ?? null,
  number_of_iterations: template.currentVersion,
  created_at: iso(template.createdAt),
  updated_at: iso(template.updatedAt),
  created_by_name: template.createdByName,
  // Uploaded HTML and scaffolds are completed versions.
  latest_generation_status: latest?.status ?? ("completed" as const),
  content_path: `${path}/${template.id}/content`,
})

export const listQuery = {
  ...cursorQuery,
  status: Schema.optionalKey(oneOf(...templateStatuses)),
  search: searchParameter,
}

export const contentQuery = {
  version: Schema.optionalKey(whole(1, 1_000_000_000)).annotate({ description: "The current one when left out" }),
}

export const SetContent = Schema.Struct({ html: Html }).annotate({ identifier: "SetTemplateContent" })

export const AskForVersion = Schema.Struct({ prompt: Prompt }).annotate({
  identifier: "AskForTemplateVersion",
  description: "The AI builds the next version on the current one",
})

export const ApproveTemplate = Schema.Struct({
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { message: "must be a whole number from 1" })),
  ).annotate({ description: "What you believe is the newest version; refused when it is not" }),
}).annotate({ identifier: "ApproveTemplate" })

const generationFields = {
  generation_id: GenerationId,
  status: Schema.Literals(generationStatuses),
  prompt: Schema.String,
  version: Schema.NullOr(Schema.Int).annotate({ description: "The version that it made; null until then" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why it failed" }),
  created_at: InstantWire,
  completed_at: Schema.NullOr(InstantWire),
  created_by_name: Schema.String,
}

/** A generation of a template whose ids this schema is of. */
export const generationOf = <Id extends Schema.Top>(template_id: Id, identifier: string) =>
  Schema.Struct({ ...generationFields, template_id }).annotate({ identifier })

export const toGeneration =
  <Id>(template_id: Id) =>
  (it: Generation) => ({
    generation_id: it.id,
    template_id,
    status: it.status,
    prompt: it.prompt,
    version: it.version,
    error: it.error,
    created_at: iso(it.createdAt),
    completed_at: isoOrNull(it.completedAt),
    created_by_name: it.createdByName,
  })

/** While it goes on: how many seconds to wait before asking again. */
export const pollHeaders = { "retry-after": Schema.optionalKey(Schema.String) }

/** A generation as it is polled. */
export const toPolled =
  <Id>(template_id: Id) =>
  (it: Generation) =>
    HttpApiSchema.withHeaders({
      body: toGeneration(template_id)(it),
      headers: it.status === "generating" ? { "retry-after": "10" } : {},
    })

/** What a user wrote is served as what it is, and is let do nothing on the API's origin. */
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
