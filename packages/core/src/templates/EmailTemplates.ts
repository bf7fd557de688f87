// What can be done with email templates. The API calls these, the worker calls `runGeneration`.
import { Context, Effect, Layer } from "effect"
import { Ai } from "../ports/Ai.ts"
import { asOfFirst } from "../documents/PlainTextOverride.ts"
import type { Email } from "../emails/Email.ts"
import { keepableEmail } from "../emails/EmailInput.ts"
import { type HtmlTooLarge, TemplateNotReady } from "../emails/EmailErrors.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { withPreheader } from "../rendering/Preheader.ts"
import { scaffold } from "../emails/EmailScaffold.ts"
import { type EmailId, EmailTemplateId, type WorkspaceId } from "../kernel/Ids.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { noDefaults, withDefaults, withWritten } from "./MailDefaults.ts"
import { checkName, checkNewTemplate, type NewTemplate } from "./NewTemplate.ts"
import { type MailDefaults, plainTextOf, type ShownTemplate, type TemplateMail } from "./Template.ts"
import { TemplateChange } from "./TemplateChange.ts"
import { EmailTemplateStore } from "./TemplateStore.ts"
import { type TemplateVerbs, templateVerbs } from "./TemplateVerbs.ts"

export interface NewEmailTemplate extends NewTemplate {
  /** An email whose HTML and fields it begins with; fields given win. */
  readonly emailId?: EmailId
  readonly defaults: Partial<MailDefaults>
}

export interface EmailTemplatePatch {
  readonly name?: string
  readonly defaults: Partial<MailDefaults>
}

export class EmailTemplates extends Context.Service<
  EmailTemplates,
  TemplateVerbs<"email"> & {
    /** With `prompt` its first version is being written when this answers. */
    readonly create: (
      workspace: WorkspaceId,
      template: NewEmailTemplate,
      createdByName: string,
    ) => Effect.Effect<
      ShownTemplate<"email">,
      Invalid | HtmlTooLarge | NotFound | TemplateNotReady | InsufficientCredits
    >
    /** Name and defaults; what is left out stays, null clears. Makes no version. */
    readonly update: (
      workspace: WorkspaceId,
      id: EmailTemplateId,
      patch: EmailTemplatePatch,
    ) => Effect.Effect<ShownTemplate<"email">, NotFound | Invalid>
    /** The override, or the text made from the current HTML. */
    readonly plainText: (workspace: WorkspaceId, id: EmailTemplateId) => Effect.Effect<string, NotFound>
    /** Null goes back to the text made from the HTML. */
    readonly setPlainText: (
      workspace: WorkspaceId,
      id: EmailTemplateId,
      text: string | null,
    ) => Effect.Effect<ShownTemplate<"email">, NotFound | Invalid>
  }
>()("tentpole/EmailTemplates") {
  static readonly layer = Layer.effect(
    EmailTemplates,
    Effect.gen(function* () {
      const store = yield* EmailTemplateStore
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const ai = yield* Ai

      const { verbs, make, change } = yield* templateVerbs<"email">({
        store,
        toId: (uuid) => EmailTemplateId.make(uuid),
        keep: yield* keepableEmail,
        ask: ai.email,
        written: withWritten,
        copied: ({ mail, currentVersion }) => ({ ...mail, plainText: asOfFirst(mail.plainText, currentVersion) }),
        job: (workspaceId, templateId, generationId) => ({
          type: "email_template_generation",
          workspaceId,
          templateId,
          generationId,
        }),
        waitsForGeneration: true,
      })

      /** The HTML and the mail that a template made from this email begins with. */
      const fromEmail = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId) {
        const inBody = () => new NotFound({ resource: "email", path: "email_id" })
        const { email, html } = yield* Effect.mapError(emails.current(workspace, id), inBody)
        if (html === null) return yield* new TemplateNotReady()
        return { html: email.previewText === null ? html : withPreheader(html, null), mail: mailOf(email) }
      })

      const blank = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
        const workspace = yield* workspaces.find(workspaceId)
        return scaffold({ workspaceName: workspace.name, brand: workspace.brand })
      })

      return EmailTemplates.of({
        ...verbs,

        create: Effect.fn("EmailTemplates.create")(function* (workspace, asked, createdByName) {
          const { name, html, prompt, emailId, defaults } = asked
          yield* Effect.fromResult(checkNewTemplate(asked, { path: "email_id", id: emailId }))
          const source = emailId === undefined ? null : yield* fromEmail(workspace, emailId)
          const mail = yield* Effect.fromResult(withDefaults(source?.mail ?? noMail, defaults))
          const parts = { name, mail, sourceId: emailId ?? null, createdByName }
          if (prompt !== undefined) return yield* make(workspace, parts, { prompt })
          return yield* make(workspace, parts, { html: html ?? source?.html ?? (yield* blank(workspace)) })
        }),

        update: Effect.fn("EmailTemplates.update")(function* (workspace, id, patch) {
          return yield* change(workspace, id, ({ template }, now) =>
            Effect.gen(function* () {
              const name = patch.name === undefined ? template.name : yield* Effect.fromResult(checkName(patch.name))
              const mail = yield* Effect.fromResult(withDefaults(template.mail, patch.defaults))
              return TemplateChange.update<"email">(template, { name, mail }, now)
            }),
          )
        }),

        plainText: Effect.fn("EmailTemplates.plainText")(function* (workspace, id) {
          return plainTextOf(yield* store.current(workspace, id))
        }),

        setPlainText: Effect.fn("EmailTemplates.setPlainText")(function* (workspace, id, text) {
          return yield* change(workspace, id, ({ template }, now) =>
            Effect.fromResult(TemplateChange.setPlainText(template, text, now)),
          )
        }),
      })
    }),
  )
}

const noMail: TemplateMail = { defaults: noDefaults, plainText: null }

/** The preview text is handed on as a default, and stands in the HTML of the emails that are made from the template. */
const mailOf = (email: Email): TemplateMail => {
  const { subject, previewText, fromName, fromAddress, replyToEmail } = email
  return {
    defaults: { subject, previewText, fromName, fromAddress, replyToEmail },
    plainText: asOfFirst(email.plainText, email.currentVersion),
  }
}
