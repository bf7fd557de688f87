// The handlers of emails.
import type { EmailTypes } from "@tentpole/core/emails/Email"
import { Emails } from "@tentpole/core/emails/Emails"
import type { EmailId } from "@tentpole/core/kernel/Ids"
import { TestMails } from "@tentpole/core/sending/TestMails"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { answer } from "../../Wire.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { toCreated } from "../documents/ContentWire.ts"
import { documentHandlers, plainTextHandlers } from "../documents/DocumentHandlers.ts"
import { toApprovedWire, toEmailWire, toFields, toNewEmail, toPreviewWire } from "./EmailsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emails",
  Effect.fn(function* (group) {
    const emails = yield* Emails
    const tests = yield* TestMails
    const wires = {
      idOf: ({ emailId }: { readonly emailId: EmailId }) => emailId,
      toWire: toEmailWire,
      key: "emails" as const,
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
