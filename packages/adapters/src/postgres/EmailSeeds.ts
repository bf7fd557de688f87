// What approved email templates give the emails that are made from them, on PostgreSQL.
import type { PgClient } from "@effect/sql-pg"
import { TemplateNotApproved } from "@tentpole/core/emails/EmailRefusals"
import type { EmailSeed } from "@tentpole/core/emails/EmailStore"
import type { EmailTemplateId, WorkspaceId } from "@tentpole/core/Ids"
import { NotFound } from "@tentpole/core/Refusal"
import { Effect } from "effect"

/** What an approval froze; all null without one. */
interface SeedRow {
  readonly html: string | null
  readonly default_subject: string | null
  readonly default_preview_text: string | null
  readonly default_from_name: string | null
  readonly default_from_address: string | null
  readonly default_reply_to_email: string | null
}

/** What the latest approval of a template froze; within the caller's fence. Its id stood in a body as `template_id`. */
export const emailSeed = (sql: PgClient.PgClient, workspace: WorkspaceId, id: EmailTemplateId) =>
  Effect.flatMap(
    sql<SeedRow>`
      select a.html, a.default_subject, a.default_preview_text, a.default_from_name, a.default_from_address,
        a.default_reply_to_email
      from email_template t
      left join email_template_approval a on a.workspace_id = t.workspace_id and a.approval_id = t.approval_id
      where t.workspace_id = ${workspace} and t.template_id = ${id}`,
    ([row]): Effect.Effect<EmailSeed, NotFound | TemplateNotApproved> => {
      if (row === undefined) return Effect.fail(new NotFound({ resource: "email template", path: "template_id" }))
      if (row.html === null) return Effect.fail(new TemplateNotApproved({ path: "template_id" }))
      return Effect.succeed({
        html: row.html,
        defaults: {
          subject: row.default_subject,
          previewText: row.default_preview_text,
          fromName: row.default_from_name,
          fromAddress: row.default_from_address,
          replyToEmail: row.default_reply_to_email,
        },
      })
    },
  )
