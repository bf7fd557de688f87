// The body that gives a blast or a step of a flow its email: one that is there, or one that is made for it.
import type { EmailChoice } from "@tentpole/core/emails/EmailChoice"
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import { EmailName, PreviewText, Subject } from "@tentpole/core/emails/EmailFields"
import { EmailId, EmailTemplateId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { toFields } from "./EmailsApi.ts"

export const SetEmail = Schema.Union([
  Schema.Struct({ source: Schema.Literal("existing"), email_id: EmailId }).annotate({ identifier: "ExistingEmail" }),
  Schema.Struct({
    source: Schema.Literal("inline"),
    name: Schema.optionalKey(EmailName),
    subject: Schema.optionalKey(Subject),
    template_id: Schema.optionalKey(EmailTemplateId).annotate({
      description: "An approved email template, whose HTML and defaults it begins with; not together with `html`",
    }),
    html: Schema.optionalKey(Schema.String).annotate({
      description: "At most 2 MB; not together with `template_id`. With neither, a blank branded scaffold",
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
          template_id === undefined || { path: ["template_id"], issue: "can't stand together with html" },
      ),
    )
    .annotate({ identifier: "InlineEmail", description: "Begins as a draft: approve it by its `email_id`" }),
]).annotate({
  identifier: "SetEmail",
  message: "must be {source: existing, email_id} or {source: inline, …}",
})

/** What was asked for, in the words of the core. */
export const toEmailChoice = (payload: typeof SetEmail.Type): EmailChoice => {
  if (payload.source === "existing") return { source: "existing", emailId: payload.email_id }
  const { source, html, template_id, ...fields } = payload
  return {
    source,
    fields: toFields(fields),
    ...(html === undefined ? {} : { html }),
    ...(template_id === undefined ? {} : { templateId: template_id }),
  }
}
