// The handlers of emails.
import type { EmailTypes } from "@tentpole/core/emails/Email"
import { Emails } from "@tentpole/core/emails/Emails"
import { TestMails } from "@tentpole/core/sending/TestMails"
import type { EmailId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toCreated } from "../documents/ContentWire.ts"
import { documentHandlers, plainTextHandlers } from "../documents/DocumentHandlers.ts"
import { type CreateEmail, toFields } from "./EmailsApi.ts"
import { type EmailWire, toApprovedWire, toEmailWire, toPreviewWire } from "./EmailWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emails",
  Effect.fn(function* (group) {
    const emails = yield* Emails
    const tests = yield* TestMails
    const wires = {
      idOf: ({ emailId }: { readonly emailId: EmailId }) => emailId,
      toWire: toEmailWire,
      toPage: (items: ReadonlyArray<typeof EmailWire.Type>) => ({ emails: items }),
      ownerOf: ({ emailId }: { readonly emailId: EmailId }) => ({ email_id: emailId }),
    }
    return group.handleAll({
      ...documentHandlers<EmailTypes>()(emails, wires, toApprovedWire),
      ...plainTextHandlers<EmailTypes>()(emails, wires),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => emails.create(id, toNewEmail(payload), key.name)).pipe(
          answer(toCreated(toEmailWire)),
        ),
      update: ({ params, payload }) =>
        withWorkspace(({ id }) => emails.update(id, params.emailId, toFields(payload))).pipe(answer(toEmailWire)),
      preview: ({ params, query }) =>
        withWorkspace(({ id }) => emails.preview(id, params.emailId, query.contact_id)).pipe(answer(toPreviewWire)),
      testSend: ({ params, payload: { to, contact_id } }) =>
        withWorkspace(({ id }) =>
          tests.create(id, params.emailId, contact_id === undefined ? { to } : { to, contactId: contact_id }),
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
