// The calls on email templates, handled.
import { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../Auth.ts"
import { answer } from "../../Wire.ts"
import { toGeneration, toPolled, toServed } from "../templates/TemplateWire.ts"
import {
  toEmailTemplateMade,
  toEmailTemplatesWire,
  toEmailTemplateWire,
  toNewEmailTemplate,
  toPatch,
} from "./EmailTemplateWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emailTemplates",
  Effect.fn(function* (group) {
    const templates = yield* EmailTemplates
    return group.handleAll({
      list: ({ query }) => withWorkspace(({ id }) => templates.slice(id, query)).pipe(answer(toEmailTemplatesWire)),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => templates.create(id, toNewEmailTemplate(payload), key.name)).pipe(
          answer(toEmailTemplateMade),
        ),
      find: ({ params }) =>
        withWorkspace(({ id }) => templates.find(id, params.templateId)).pipe(answer(toEmailTemplateWire)),
      update: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.update(id, params.templateId, toPatch(payload))).pipe(
          answer(toEmailTemplateWire),
        ),
      remove: ({ params }) =>
        withWorkspace(({ id }) => templates.remove(id, params.templateId)).pipe(answer(() => undefined)),
      duplicate: ({ params }) =>
        withWorkspace(({ id }, key) => templates.duplicate(id, params.templateId, key.name)).pipe(
          answer(toEmailTemplateWire),
        ),
      content: ({ params, query }) =>
        withWorkspace(({ id }) => templates.content(id, params.templateId, query.version)).pipe(answer(toServed)),
      setContent: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.setContent(id, params.templateId, payload.html)).pipe(
          answer(toEmailTemplateWire),
        ),
      plainText: ({ params }) =>
        withWorkspace(({ id }) => templates.plainText(id, params.templateId)).pipe(answer(toServed)),
      setPlainText: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.setPlainText(id, params.templateId, payload.text)).pipe(
          answer(toEmailTemplateWire),
        ),
      unsetPlainText: ({ params }) =>
        withWorkspace(({ id }) => templates.setPlainText(id, params.templateId, null)).pipe(
          answer(toEmailTemplateWire),
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
          answer(toEmailTemplateWire),
        ),
      unapprove: ({ params }) =>
        withWorkspace(({ id }) => templates.unapprove(id, params.templateId)).pipe(answer(toEmailTemplateWire)),
    })
  }),
)
