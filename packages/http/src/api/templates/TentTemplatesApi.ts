// The endpoints of tent templates.
import { GenerationId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { Nothing } from "../../Wire.ts"
import {
  Approve,
  AskForVersion,
  contentQuery,
  listQuery,
  pollHeaders,
  served,
  SetContent,
} from "../documents/ContentWire.ts"
import {
  CreateTentTemplate,
  TentTemplateBegun,
  TentTemplateGeneration,
  TentTemplatesWire,
  TentTemplateWire,
  UpdateTentTemplate,
} from "./TentTemplateWire.ts"

const params = { templateId: TentTemplateId }

const described = (text: string) => [OpenApi.Description, text] as const

/** Making one, looking at it, and naming it. */
const basics = HttpApiGroup.make("tentTemplates")
  .add(
    HttpApiEndpoint.get("list", "/v1/tent-templates", {
      query: listQuery,
      success: TentTemplatesWire,
      error: errors("invalid_cursor"),
    })
      .annotate(OpenApi.Summary, "List tent templates")
      .annotate(...described("Tent templates, the newest first.")),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/tent-templates", {
      payload: CreateTentTemplate,
      success: [TentTemplateBegun.pipe(HttpApiSchema.status(202)), TentTemplateWire.pipe(HttpApiSchema.status(201))],
      error: errors("validation_failed", "payload_too_large", "not_found", "tent_not_ready", "insufficient_credits"),
    })
      .annotate(OpenApi.Summary, "Create a tent template")
      .annotate(
        ...described(
          "Makes a draft: of HTML, of a tent's page, of what the AI is asked for (202, with `generation_id`), or blank. A tent that has no page yet is `tent_not_ready`.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/tent-templates/:templateId", {
      params,
      success: TentTemplateWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a tent template")
      .annotate(
        OpenApi.Description,
        "The template's name and how far its versions and its approval are. Its HTML has calls of its own.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("rename", "/v1/tent-templates/:templateId", {
      params,
      payload: UpdateTentTemplate,
      success: TentTemplateWire,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Rename a tent template")
      .annotate(...described("Changes the name. Makes no version.")),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/tent-templates/:templateId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found", "email_in_use"),
    })
      .annotate(OpenApi.Summary, "Delete a tent template")
      .annotate(
        ...described(
          "Deletes the template with its versions. Tents accepted with it are still made from what was approved; a generation that goes on gives its credit back.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("duplicate", "/v1/tent-templates/:templateId/duplicate", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: TentTemplateWire.pipe(HttpApiSchema.status(201)),
      error: errors("not_found", "template_not_ready"),
    })
      .annotate(OpenApi.Summary, "Copy a tent template")
      .annotate(...described("A draft of its own with the current HTML.")),
  )

export const TentTemplatesApi = basics
  .add(
    HttpApiEndpoint.get("content", "/v1/tent-templates/:templateId/content", {
      params,
      query: contentQuery,
      success: served("text/html"),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a tent template's HTML")
      .annotate(OpenApi.Description, "The HTML of the current version, or of the one that `version` names."),
  )
  .add(
    HttpApiEndpoint.put("setContent", "/v1/tent-templates/:templateId/content", {
      params,
      payload: SetContent,
      success: TentTemplateWire,
      error: errors("not_found", "validation_failed", "payload_too_large"),
    })
      .annotate(OpenApi.Summary, "Set a tent template's HTML")
      .annotate(...described("Makes a new version.")),
  )
  .add(
    HttpApiEndpoint.post("generate", "/v1/tent-templates/:templateId/generations", {
      params,
      payload: AskForVersion,
      success: TentTemplateGeneration.pipe(HttpApiSchema.status(202)),
      error: errors("not_found", "validation_failed", "generation_in_progress", "insufficient_credits"),
    })
      .annotate(OpenApi.Summary, "Have a tent template written")
      .annotate(...described("Asks the AI for the next version, built on the current one. One at a time.")),
  )
  .add(
    HttpApiEndpoint.get("generation", "/v1/tent-templates/:templateId/generations/:generationId", {
      params: { ...params, generationId: GenerationId },
      success: HttpApiSchema.WithHeaders(TentTemplateGeneration, pollHeaders),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a generation of a tent template")
      .annotate(...described("Carries `Retry-After: 10` while it goes on.")),
  )
  .add(
    HttpApiEndpoint.post("approve", "/v1/tent-templates/:templateId/approve", {
      params,
      payload: [Approve, Schema.Undefined],
      success: TentTemplateWire,
      error: errors("not_found", "template_not_ready", "approval_version_stale", "generation_in_progress"),
    })
      .annotate(OpenApi.Summary, "Approve a tent template")
      .annotate(
        ...described(
          "Freezes the newest completed version; tents are made from that. It works while a generation goes on, which then makes a version of its own.",
        ),
      ),
  )
  .add(
    HttpApiEndpoint.post("unapprove", "/v1/tent-templates/:templateId/unapprove", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: TentTemplateWire,
      error: errors("not_found", "invalid_state", "email_in_use"),
    })
      .annotate(OpenApi.Summary, "Take a tent template's approval back")
      .annotate(...described("Back to a draft. Tents accepted with it are still made from what was approved.")),
  )
