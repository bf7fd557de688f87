// The calls on emails, handled.
import { Emails } from "@tentpole/core/emails/Emails"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../Auth.ts"
import { answer } from "../../Wire.ts"
import { type CreateEmail, toFields, toServed } from "./EmailsApi.ts"
import { toApprovedWire, toEmailsWire, toEmailWire } from "./EmailWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "emails",
  Effect.fn(function* (group) {
    const emails = yield* Emails
    return group.handleAll({
      list: ({ query }) => withWorkspace(({ id }) => emails.page(id, query)).pipe(answer(toEmailsWire)),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => emails.create(id, toNewEmail(payload), key.name)).pipe(answer(toEmailWire)),
      find: ({ params }) => withWorkspace(({ id }) => emails.find(id, params.emailId)).pipe(answer(toEmailWire)),
      update: ({ params, payload }) =>
        withWorkspace(({ id }) => emails.update(id, params.emailId, toFields(payload))).pipe(answer(toEmailWire)),
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
    })
  }),
)

const toNewEmail = ({ name, html, ...fields }: typeof CreateEmail.Type) => ({
  ...toFields(fields),
  name,
  ...(html === undefined ? {} : { html }),
})
