// The calls on tent templates, handled.
import { TentTemplates } from "@tentpole/core/templates/TentTemplates"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../Auth.ts"
import { answer } from "../../Wire.ts"
import { toGeneration, toPolled, toServed } from "../templates/TemplateWire.ts"
import { toTentTemplateMade, toTentTemplatesWire, toTentTemplateWire, toNewTentTemplate } from "./TentTemplateWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "tentTemplates",
  Effect.fn(function* (group) {
    const templates = yield* TentTemplates
    return group.handleAll({
      list: ({ query }) => withWorkspace(({ id }) => templates.slice(id, query)).pipe(answer(toTentTemplatesWire)),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => templates.create(id, toNewTentTemplate(payload), key.name)).pipe(
          answer(toTentTemplateMade),
        ),
      find: ({ params }) =>
        withWorkspace(({ id }) => templates.find(id, params.templateId)).pipe(answer(toTentTemplateWire)),
      rename: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.rename(id, params.templateId, payload.name)).pipe(
          answer(toTentTemplateWire),
        ),
      remove: ({ params }) =>
        withWorkspace(({ id }) => templates.remove(id, params.templateId)).pipe(answer(() => undefined)),
      duplicate: ({ params }) =>
        withWorkspace(({ id }, key) => templates.duplicate(id, params.templateId, key.name)).pipe(
          answer(toTentTemplateWire),
        ),
      content: ({ params, query }) =>
        withWorkspace(({ id }) => templates.content(id, params.templateId, query.version)).pipe(answer(toServed)),
      setContent: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.setContent(id, params.templateId, payload.html)).pipe(
          answer(toTentTemplateWire),
        ),
      generate: ({ params, payload }) =>
        withWorkspace(({ id }, key) =>
          templates.generate(id, params.templateId, { prompt: payload.prompt, createdByName: key.name }),
        ).pipe(answer(toGeneration(params.templateId))),
      generation: ({ params }) =>
        withWorkspace(({ id }) => templates.generation(id, params.templateId, params.generationId)).pipe(
          answer(toPolled(params.templateId)),
        ),
      approve: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.approve(id, params.templateId, payload ?? {})).pipe(
          answer(toTentTemplateWire),
        ),
      unapprove: ({ params }) =>
        withWorkspace(({ id }) => templates.unapprove(id, params.templateId)).pipe(answer(toTentTemplateWire)),
    })
  }),
)
