// The handlers of email templates.
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import type { EmailTemplateTypes } from "@tentpole/core/templates/Template"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toCreated } from "../documents/ContentWire.ts"
import { documentHandlers, plainTextHandlers } from "../documents/DocumentHandlers.ts"
import { templateWires } from "./TemplateWire.ts"
import { toEmailTemplateWire, toNewEmailTemplate, toPatch } from "./EmailTemplateWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emailTemplates",
  Effect.fn(function* (group) {
    const templates = yield* EmailTemplates
    const wires = templateWires(toEmailTemplateWire)
    return group.handleAll({
      ...documentHandlers<EmailTemplateTypes>()(templates, wires, toEmailTemplateWire),
      ...plainTextHandlers<EmailTemplateTypes>()(templates, wires),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => templates.create(id, toNewEmailTemplate(payload), key.name)).pipe(
          answer(toCreated(toEmailTemplateWire)),
        ),
      update: ({ params, payload }) =>
        withWorkspace(({ id }) => templates.update(id, params.templateId, toPatch(payload))).pipe(
          answer(toEmailTemplateWire),
        ),
    })
  }),
)
