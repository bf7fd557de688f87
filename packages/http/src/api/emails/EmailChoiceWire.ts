// Body that sets the email of a blast or of a flow step: an existing email or an inline one.
import type { EmailChoice } from "@tentpole/core/emails/NewEmail"
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import { EmailName, PreviewText, Subject } from "@tentpole/core/documents/EmailFields"
import { EmailId, EmailTemplateId } from "@tentpole/core/kernel/Ids"
import { renamed } from "@tentpole/core/kernel/Keys"
import { Schema } from "effect"
import { toFields } from "./EmailsApi.ts"

export const SetEmail = Schema.Union([
  Schema.Struct({ source: Schema.Literal("existing"), email_id: EmailId }).annotate({ identifier: "ExistingEmail" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    name: Schema.optionalKey(EmailName),
    subject: Schema.optionalKey(Subject),
    template_id: Schema.optionalKey(EmailTemplateId).annotate({
      description: "An approved email template. Its HTML and defaults are copied. Not together with `html`",
    }),
    html: Schema.optionalKey(Schema.String).annotate({
      description: "At most 2 MB. Not together with `template_id`. Without either, a blank branded email",
    }),
    preview_text: Schema.optionalKey(PreviewText),
    from_name: Schema.optionalKey(FromName),
    from_address: Schema.optionalKey(SenderAddress),
    reply_to_email: Schema.optionalKey(SenderAddress),
  })
    .check(
      Schema.makeFilter(
        ({ html, template_id }) =>
          html === undefined ||
          template_id === undefined || { path: ["template_id"], issue: "can't be combined with html" },
      ),
    )
    .annotate({ identifier: "InlineEmail", description: "Created as a draft: approve it by its `email_id`" }),
]).annotate({
  identifier: "SetEmail",
  message: "must be {source: existing, email_id} or {source: inline, …}",
})

/** The choice in the terms of the core. */
export const toEmailChoice = (payload: typeof SetEmail.Type): EmailChoice => {
  if (payload.source === "existing") return { source: "existing", emailId: payload.email_id }
  const { source, ...inline } = payload
  return { source, fields: toFields(inline), ...renamed(inline, { html: "html", template_id: "templateId" }) }
}
