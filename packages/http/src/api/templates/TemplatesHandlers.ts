// The handlers of email templates and tent templates.
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import type { EmailTemplateTypes, TentTemplateTypes } from "@tentpole/core/templates/Template"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { Layer } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer } from "../../Wire.ts"
import { toCreated } from "../documents/ContentWire.ts"
import { documentHandlers, plainTextHandlers } from "../documents/DocumentHandlers.ts"
import {
  toEmailTemplateWire,
  toNewEmailTemplate,
  toNewTentTemplate,
  toPatch,
  toTentTemplateWire,
} from "./TemplatesApi.ts"

const wires = <D extends { readonly id: string }, Wire>(toWire: (template: D) => Wire) => ({
  toWire,
  key: "templates" as const,
  idOf: ({ templateId }: { readonly templateId: D["id"] }) => templateId,
  ownerOf: ({ templateId }: { readonly templateId: D["id"] }) => ({ template_id: templateId }),
})

const emailTemplates = handlersOf("emailTemplates", EmailTemplates, (templates) => {
  const ofEmails = wires(toEmailTemplateWire)
  return {
    ...documentHandlers<EmailTemplateTypes>()(templates, ofEmails, toEmailTemplateWire),
    ...plainTextHandlers<EmailTemplateTypes>()(templates, ofEmails),
    create: ({ payload }, { id }, caller) =>
      templates.create(id, toNewEmailTemplate(payload), caller.name).pipe(answer(toCreated(toEmailTemplateWire))),
    update: ({ params, payload }, { id }) =>
      templates.update(id, params.templateId, toPatch(payload)).pipe(answer(toEmailTemplateWire)),
  }
})

const tentTemplates = handlersOf("tentTemplates", TentTemplates, (templates) => ({
  ...documentHandlers<TentTemplateTypes>()(templates, wires(toTentTemplateWire), toTentTemplateWire),
  create: ({ payload }, { id }, caller) =>
    templates.create(id, toNewTentTemplate(payload), caller.name).pipe(answer(toCreated(toTentTemplateWire))),
  rename: ({ params, payload: { name } }, { id }) =>
    templates.update(id, params.templateId, name === undefined ? {} : { name }).pipe(answer(toTentTemplateWire)),
}))

export const layer = Layer.merge(emailTemplates, tentTemplates)
