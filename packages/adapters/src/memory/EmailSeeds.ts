// What approved email templates give the emails that are made from them, in memory.
import { TemplateNotApproved } from "@tentpole/core/emails/EmailRefusals"
import type { EmailSeed } from "@tentpole/core/emails/EmailStore"
import type { ApprovalId, EmailTemplateId, WorkspaceId } from "@tentpole/core/Ids"
import { NotFound } from "@tentpole/core/Refusal"
import { Effect } from "effect"
import { type Rows, table } from "./MemoryDatabase.ts"

/** Templates, as far as seeds need them: which approval holds, if any. */
export const emailTemplates = table<{ readonly approval: { readonly id: ApprovalId } | null }>("email_template")
/** What approvals of templates froze, by the approval's id. */
export const emailTemplateApprovals = table<{
  readonly html: string
  readonly mail: Pick<EmailSeed, "defaults">
}>("email_template_approval")

/** What the latest approval of a template froze. Its id stood in a body as `template_id`. */
export const emailSeed = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: EmailTemplateId) {
  const template = yield* db.find(emailTemplates, workspace, id)
  if (template === undefined) return yield* new NotFound({ resource: "email template", path: "template_id" })
  const { approval } = template
  const frozen = approval === null ? undefined : yield* db.find(emailTemplateApprovals, workspace, approval.id)
  if (frozen === undefined) return yield* new TemplateNotApproved()
  const seed: EmailSeed = { html: frozen.html, defaults: frozen.mail.defaults }
  return seed
})
