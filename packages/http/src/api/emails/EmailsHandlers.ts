// The handlers of emails and merge tokens.
import type { EmailTypes } from "@tentpole/core/emails/Email"
import { Emails } from "@tentpole/core/emails/Emails"
import { AvailableTokens } from "@tentpole/core/flows/AvailableTokens"
import type { EmailId } from "@tentpole/core/kernel/Ids"
import { TestMails } from "@tentpole/core/sending/TestMails"
import { formats } from "@tentpole/core/rendering/MergeTokens"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { handlersOf } from "../../GroupHandlers.ts"
import { withHeaders } from "../../edge/RateLimit.ts"
import { answer } from "../../Wire.ts"
import { toCreated } from "../documents/ContentWire.ts"
import { documentHandlers, plainTextHandlers } from "../documents/DocumentHandlers.ts"
import {
  toApprovedWire,
  toEmailWire,
  toFields,
  toNewEmail,
  toPreviewWire,
  toUnsaved,
  toUnsavedPreviewWire,
} from "./EmailsApi.ts"

const tokens = handlersOf("mergeTokens", AvailableTokens, ({ list }) => ({
  list: ({ query }, { id }) => list(id, query.flow_id).pipe(answer((tokens) => ({ tokens, formats }))),
}))

const emails = handlersOf("emails", Effect.all({ emails: Emails, tests: TestMails }), ({ emails, tests }) => {
  const wires = {
    idOf: ({ emailId }: { readonly emailId: EmailId }) => emailId,
    toWire: toEmailWire,
    key: "emails" as const,
    ownerOf: ({ emailId }: { readonly emailId: EmailId }) => ({ email_id: emailId }),
  }
  return {
    ...documentHandlers<EmailTypes>()(emails, wires, toApprovedWire),
    ...plainTextHandlers<EmailTypes>()(emails, wires),
    approve: ({ params, payload, query }, { id }) =>
      emails
        .approve(id, params.emailId, { ...payload, allowUnknownTokens: query.allow_unknown_tokens === "true" })
        .pipe(answer(toApprovedWire)),
    create: ({ payload }, { id }, caller) =>
      emails.create(id, toNewEmail(payload), caller.name).pipe(answer(toCreated(toEmailWire))),
    update: ({ params, payload }, { id }) =>
      emails.update(id, params.emailId, toFields(payload)).pipe(answer(toEmailWire)),
    preview: ({ params, query }, { id }) =>
      emails.preview(id, params.emailId, query.contact_id).pipe(answer(toPreviewWire)),
    previewUnsaved: ({ params, payload }, { id }) =>
      emails
        .previewUnsaved(id, params.emailId, toUnsaved(payload), payload.contact_id)
        .pipe(answer(toUnsavedPreviewWire)),
    testSend: ({ params, payload: { to, contact_id }, request }, { id }) =>
      tests.create(id, params.emailId, contact_id === undefined ? { to } : { to, contactId: contact_id }).pipe(
        Effect.tapErrorTag("TooManyTests", ({ wait_s }) => withHeaders({ "retry-after": String(wait_s) })),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        answer(toEmailWire),
      ),
  }
})

export const layer = Layer.merge(emails, tokens)
