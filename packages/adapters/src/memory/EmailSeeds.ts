// What approved email templates give the emails that are made from them, in memory.
import { TemplateNotApproved } from "@tentpole/core/emails/EmailRefusals"
import type { EmailSeed } from "@tentpole/core/emails/EmailStore"
import type { EmailTemplateId, WorkspaceId } from "@tentpole/core/Ids"
import { NotFound } from "@tentpole/core/Refusal"
import { Effect } from "effect"
import type { Rows } from "./MemoryDatabase.ts"
import { emailTemplates } from "./TemplateStores.ts"

/** What the latest approval of a template froze. Its id stood in a body as `template_id`. */
export const emailSeed = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: EmailTemplateId) {
  const template = yield* db.find(emailTemplates.templates, workspace, id)
  if (template === undefined) return yield* new NotFound({ resource: "email template", path: "template_id" })
  const { approval } = template
  const frozen = approval === null ? undefined : yield* db.find(emailTemplates.approvals, workspace, approval.id)
  if (frozen === undefined) return yield* new TemplateNotApproved({ path: "template_id" })
  return { html: frozen.html, defaults: frozen.mail.defaults } satisfies EmailSeed
})
