// EmailTemplates: the use cases of email templates.
import { Context, Effect, Layer } from "effect"
import { Ai } from "../ports/Ai.ts"
import { Parsers } from "../ports/Parsers.ts"
import { overrideOfCopy } from "../documents/Document.ts"
import { type HtmlTooLarge, TemplateNotReady } from "../documents/DocumentErrors.ts"
import { type Created, type Documents, documents, type PlainTexts } from "../documents/Documents.ts"
import { plainTextOf } from "./Email.ts"
import { noHeader, storableEmail } from "../documents/EmailFields.ts"
import { EmailStore } from "./EmailStore.ts"
import { preheaderParser } from "../rendering/Markup.ts"
import { scaffold } from "../rendering/EmailLayout.ts"
import { type EmailId, EmailTemplateId, type WorkspaceId } from "../kernel/Ids.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import {
  checkNewTemplate,
  type NewTemplate,
  type EmailTemplateTypes,
  type MailDefaults,
  withDefaults,
  EmailTemplateChange,
} from "../templates/Template.ts"
import { EmailTemplateStore } from "../templates/TemplateStore.ts"

export interface NewEmailTemplate extends NewTemplate {
  /** An email whose HTML and fields it starts with; fields given win. */
  readonly emailId?: EmailId
  readonly defaults: Partial<MailDefaults>
}

export class EmailTemplates extends Context.Service<
  EmailTemplates,
  Documents<EmailTemplateTypes> &
    PlainTexts<EmailTemplateTypes> & {
      /** With `prompt` the generation of its first version has started. */
      readonly create: (
        workspace: WorkspaceId,
        template: NewEmailTemplate,
        createdByName: string,
      ) => Effect.Effect<
        Created<EmailTemplateTypes>,
        Invalid | HtmlTooLarge | NotFound | TemplateNotReady | InsufficientCredits
      >
    }
>()("tentpole/EmailTemplates") {
  static readonly layer = Layer.effect(
    EmailTemplates,
    Effect.gen(function* () {
      const store = yield* EmailTemplateStore
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const parsers = yield* Parsers
      const ai = yield* Ai
      const shared = yield* documents<EmailTemplateTypes>("EmailTemplates", {
        machine: EmailTemplateChange,
        store,
        storable: yield* storableEmail,
        ask: ai.generateEmail,
        provider: ai.provider,
        toId: (uuid) => EmailTemplateId.make(uuid),
        facts: () => Effect.succeed(null),
      })

      /** The preview text becomes a default; the HTML of emails from the template gets it again. */
      const fromEmail = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId) {
        const inBody = () => new NotFound({ resource: "email", path: "email_id" })
        const { document, html } = yield* Effect.mapError(emails.current(workspace, id), inBody)
        if (html === null) return yield* new TemplateNotReady()
        const { subject, previewText, fromName, fromAddress, replyToEmail } = document
        return {
          html:
            previewText === null
              ? html
              : yield* Effect.orDie(parsers.run(preheaderParser, { html, text: null }, workspace)),
          defaults: { subject, previewText, fromName, fromAddress, replyToEmail },
          plainText: overrideOfCopy(document.plainText, document.currentVersion),
          design: yield* Effect.orDie(emails.design(workspace, id, document.currentVersion)),
        }
      })

      return EmailTemplates.of({
        ...shared.verbs,
        ...shared.plainTexts(plainTextOf),

        create: Effect.fn("EmailTemplates.create")(function* (workspace, template, createdByName) {
          const { name, html, prompt, emailId } = template
          yield* Effect.fromResult(checkNewTemplate(template, { path: "email_id", id: emailId }))
          const source = emailId === undefined ? null : yield* fromEmail(workspace, emailId)
          const defaults = yield* Effect.fromResult(withDefaults(source?.defaults ?? noHeader, template.defaults))
          const fields = { name, sourceId: emailId ?? null, defaults, plainText: source?.plainText ?? null }
          if (prompt !== undefined) return yield* shared.createByPrompt(workspace, { fields, prompt, createdByName })
          const page = html ?? source?.html ?? scaffold(yield* workspaces.get(workspace))
          const design = html === undefined ? (source?.design ?? null) : null
          return yield* shared.create(workspace, { fields, html: page, design, createdByName })
        }),
      })
    }),
  )
}
