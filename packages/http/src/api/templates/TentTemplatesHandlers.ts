// The handlers of tent templates.
import { TentTemplates } from "@tentpole/core/templates/TentTemplates"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { templateHandlers } from "./TemplateHandlers.ts"
import { toNewTentTemplate, toTentTemplateMade, toTentTemplateWire } from "./TentTemplateWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "tentTemplates",
  Effect.fn(function* (group) {
    const templates = yield* TentTemplates
    return group.handleAll({
      ...templateHandlers(templates, toTentTemplateWire),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => templates.create(id, toNewTentTemplate(payload), key.name)).pipe(
          answer(toTentTemplateMade),
        ),
      rename: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.rename(id, params.templateId, payload.name)).pipe(
          answer(toTentTemplateWire),
        ),
    })
  }),
)
