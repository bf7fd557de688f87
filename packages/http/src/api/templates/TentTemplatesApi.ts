// The endpoints of tent templates.
import { TentTemplateId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { contentEndpoints } from "../documents/ContentEndpoints.ts"
import { Approve } from "../documents/ContentWire.ts"
import {
  CreateTentTemplate,
  TentTemplateBegun,
  TentTemplateGeneration,
  TentTemplatesWire,
  TentTemplateWire,
  UpdateTentTemplate,
} from "./TentTemplateWire.ts"

const params = { templateId: TentTemplateId }

const shared = contentEndpoints({
  one: "a tent template",
  many: "tent templates",
  paths: { all: "/v1/tent-templates", one: "/v1/tent-templates/:templateId" },
  params,
  schemas: { page: TentTemplatesWire, document: TentTemplateWire, generation: TentTemplateGeneration },
  texts: {
    find: "Returns the name of the template with the state of its versions and its approval. The HTML has its own endpoints.",
    remove:
      "Deletes the template with its versions. Tents that were accepted with it still use the approved version. The credit of a generation in progress is refunded.",
    unapprove:
      "Turns the template into a draft again. Tents that were accepted with it still use the approved version.",
  },
})

export const TentTemplatesApi = Endpoint.group("tentTemplates", "Templates of tents.").add(
  shared.list,
  Endpoint.post("create", "/v1/tent-templates", {
    summary: "Create a tent template",
    description:
      "Creates a draft from HTML, from a tent's page, from a `prompt`, or blank. With a `prompt`, it returns 202 and the AI generates the content: poll the generation. A tent without a page is refused with `tent_not_ready`.",
    payload: CreateTentTemplate,
    success: [TentTemplateBegun.pipe(HttpApiSchema.status(202)), TentTemplateWire.pipe(HttpApiSchema.status(201))],
    errors: ["validation_failed", "payload_too_large", "not_found", "tent_not_ready", "insufficient_credits"],
  }),
  shared.find,
  Endpoint.patch("rename", "/v1/tent-templates/:templateId", {
    summary: "Rename a tent template",
    description: "Changes the name. It creates no version.",
    params,
    payload: UpdateTentTemplate,
    success: TentTemplateWire,
    errors: ["not_found", "validation_failed"],
  }),
  shared.remove,
  shared.duplicate,
  shared.content,
  shared.setContent,
  shared.generate,
  shared.generation,
  Endpoint.post("approve", "/v1/tent-templates/:templateId/approve", {
    summary: "Approve a tent template",
    description:
      "Freezes the newest completed version. Tents are created from this approved version. A generation in progress is not affected and creates a later version.",
    params,
    payload: [Approve, Schema.Undefined],
    success: TentTemplateWire,
    errors: ["not_found", "template_not_ready", "approval_version_stale", "generation_in_progress"],
  }),
  shared.unapprove,
)
