// The handlers of email templates.
import { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toServed } from "../documents/ContentWire.ts"
import { templateHandlers } from "./TemplateHandlers.ts"
import { toEmailTemplateMade, toEmailTemplateWire, toNewEmailTemplate, toPatch } from "./EmailTemplateWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emailTemplates",
  Effect.fn(function* (group) {
    const templates = yield* EmailTemplates
    return group.handleAll({
      ...templateHandlers(templates, toEmailTemplateWire),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => templates.create(id, toNewEmailTemplate(payload), key.name)).pipe(
          answer(toEmailTemplateMade),
        ),
      update: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.update(id, params.templateId, toPatch(payload))).pipe(
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
    })
  }),
)
