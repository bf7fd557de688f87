// The handlers of emails.
import { Emails } from "@tentpole/core/emails/Emails"
import { TestMails } from "@tentpole/core/sending/TestMails"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer, sliced } from "../../Wire.ts"
import { toGeneration, toPolled, toServed } from "../documents/ContentWire.ts"
import { type CreateEmail, toFields } from "./EmailsApi.ts"
import { toApprovedWire, toEmailWire, toMadeWire, toPreviewWire } from "./EmailWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emails",
  Effect.fn(function* (group) {
    const emails = yield* Emails
    const tests = yield* TestMails
    return group.handleAll({
      list: ({ query }) =>
        withWorkspace(({ id }) => emails.page(id, query)).pipe(answer(sliced("emails", toEmailWire))),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => emails.create(id, toNewEmail(payload), key.name)).pipe(answer(toMadeWire)),
      find: ({ params }) => withWorkspace(({ id }) => emails.find(id, params.emailId)).pipe(answer(toEmailWire)),
      update: ({ params, payload }) =>
        withWorkspace(({ id }) => emails.update(id, params.emailId, toFields(payload))).pipe(answer(toEmailWire)),
      remove: ({ params }) =>
        withWorkspace(({ id }) => emails.remove(id, params.emailId)).pipe(answer(() => undefined)),
      duplicate: ({ params }) =>
        withWorkspace(({ id }, key) => emails.duplicate(id, params.emailId, key.name)).pipe(answer(toEmailWire)),
      content: ({ params, query }) =>
        withWorkspace(({ id }) => emails.content(id, params.emailId, query.version)).pipe(answer(toServed)),
      setContent: ({ params, payload }) =>
        withWorkspace(({ id }) => emails.setContent(id, params.emailId, payload.html)).pipe(answer(toEmailWire)),
      plainText: ({ params }) => withWorkspace(({ id }) => emails.plainText(id, params.emailId)).pipe(answer(toServed)),
      setPlainText: ({ params, payload }) =>
        withWorkspace(({ id }) => emails.setPlainText(id, params.emailId, payload.text)).pipe(answer(toEmailWire)),
      unsetPlainText: ({ params }) =>
        withWorkspace(({ id }) => emails.setPlainText(id, params.emailId, null)).pipe(answer(toEmailWire)),
      approve: ({ params, payload }) =>
        withWorkspace(({ id }) => emails.approve(id, params.emailId, payload ?? {})).pipe(answer(toApprovedWire)),
      unapprove: ({ params }) =>
        withWorkspace(({ id }) => emails.unapprove(id, params.emailId)).pipe(answer(toEmailWire)),
      generate: ({ params, payload }) =>
        withWorkspace(({ id }, key) =>
          emails.startGeneration(id, params.emailId, { prompt: payload.prompt, createdByName: key.name }),
        ).pipe(answer(toGeneration({ email_id: params.emailId }))),
      generation: ({ params: { emailId, generationId } }) =>
        withWorkspace(({ id }) => emails.generation(id, emailId, generationId)).pipe(
          answer(toPolled({ email_id: emailId })),
        ),
      preview: ({ params, query }) =>
        withWorkspace(({ id }) => emails.preview(id, params.emailId, query.contact_id)).pipe(answer(toPreviewWire)),
      testSend: ({ params, payload: { to, contact_id } }) =>
        withWorkspace(({ id }) =>
          tests.request(id, params.emailId, contact_id === undefined ? { to } : { to, contactId: contact_id }),
        ).pipe(answer(toEmailWire)),
    })
  }),
)

const toNewEmail = ({ name, html, template_id, prompt, ...fields }: typeof CreateEmail.Type) => ({
  ...toFields(fields),
  name,
  ...(html === undefined ? {} : { html }),
  ...(template_id === undefined ? {} : { templateId: template_id }),
  ...(prompt === undefined ? {} : { prompt }),
})
