// Wire schemas of tent templates.
import { EmailName } from "@tentpole/core/documents/EmailFields"
import { TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import type { NewTentTemplate } from "@tentpole/core/tents/TentTemplates"
import type { TentTemplate } from "@tentpole/core/templates/Template"
import { Schema } from "effect"
import { readOnly } from "../../Wire.ts"
import { generationField, generationOf, Html, Prompt, shownFields, toShownFields } from "../documents/ContentWire.ts"
import { readOnlyFields } from "./TemplateWire.ts"

const fields = {
  template_id: TentTemplateId,
  ...shownFields,
  source_type: Schema.Literals(["upload", "tent"]),
  source_tent_id: Schema.NullOr(TentId).annotate({ description: "The tent that it was created from" }),
}

export const TentTemplateWire = Schema.Struct(fields).annotate({ identifier: "TentTemplate" })

/** The answer to a creation that started a generation. */
export const TentTemplateBegun = Schema.Struct({ ...fields, ...generationField }).annotate({
  identifier: "TentTemplateBegun",
})

export const TentTemplatesWire = Schema.Struct({
  templates: Schema.Array(TentTemplateWire),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "TentTemplates" })

export const TentTemplateGeneration = generationOf({ template_id: TentTemplateId }, "TentTemplateGeneration")

const fixedFields = {
  ...readOnlyFields,
  source_tent_id: readOnly("is read-only: set tent_id when you create the template"),
}

export const CreateTentTemplate = Schema.Struct({
  name: EmailName,
  html: Schema.optionalKey(Html),
  tent_id: Schema.optionalKey(TentId.annotate({ description: "Copies the page of this tent" })),
  prompt: Schema.optionalKey(Prompt),
  ...fixedFields,
}).annotate({
  identifier: "CreateTentTemplate",
  description: "At most one of `html`, `tent_id` and `prompt`. Without any, a blank branded page",
})

export const UpdateTentTemplate = Schema.Struct({
  name: Schema.optionalKey(EmailName),
  ...fixedFields,
}).annotate({ identifier: "UpdateTentTemplate" })

export const toNewTentTemplate = (body: typeof CreateTentTemplate.Type): NewTentTemplate => ({
  name: body.name,
  ...(body.html === undefined ? {} : { html: body.html }),
  ...(body.tent_id === undefined ? {} : { tentId: body.tent_id }),
  ...(body.prompt === undefined ? {} : { prompt: body.prompt }),
})

export const toTentTemplateWire = (template: TentTemplate): typeof TentTemplateWire.Type => ({
  template_id: template.id,
  ...toShownFields(template, `/v1/tent-templates/${template.id}`),
  source_type: template.sourceId === null ? "upload" : "tent",
  source_tent_id: template.sourceId,
})
