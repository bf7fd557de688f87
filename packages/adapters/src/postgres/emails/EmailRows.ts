// The rows of emails on PostgreSQL, and the emails and approvals that they are.
import type { ApprovedEmail } from "@tentpole/core/rendering/ApprovedEmail"
import { statusOf } from "@tentpole/core/documents/Approval"
import type { Email } from "@tentpole/core/emails/Email"
import type { GenerationStatus } from "@tentpole/core/documents/Generation"
import { ApprovalId, EmailId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"

export interface EmailRow {
  readonly email_id: string
  readonly name: string
  readonly current_version: number
  readonly subject: string | null
  readonly preview_text: string | null
  readonly from_name: string | null
  readonly from_address: string | null
  readonly reply_to_email: string | null
  readonly plain_text: string | null
  readonly plain_text_overridden_at: Date | null
  readonly plain_text_overridden_version: number | null
  readonly approved_version: number | null
  readonly approval_id: string | null
  readonly generation_status: GenerationStatus | null
  readonly created_by_name: string
  readonly created_at: Date
  readonly updated_at: Date
}

/** Of `email e`. The latest generation is found by the index `generation_document`. */
export const emailColumns = `e.email_id, e.name, e.current_version, e.subject, e.preview_text, e.from_name, e.from_address,
  e.reply_to_email, e.plain_text, e.plain_text_overridden_at, e.plain_text_overridden_version, e.approved_version,
  e.approval_id, e.created_by_name, e.created_at, e.updated_at, (
    select g.status from generation g where g.workspace_id = e.workspace_id and g.document_id = e.email_id
    order by g.created_at desc, g.generation_id desc limit 1
  ) as generation_status`

export const toEmail = (row: EmailRow): Email => ({
  id: EmailId.make(row.email_id),
  name: row.name,
  currentVersion: row.current_version,
  subject: row.subject,
  previewText: row.preview_text,
  fromName: row.from_name,
  fromAddress: row.from_address,
  replyToEmail: row.reply_to_email,
  // Set together: a CHECK says so.
  plainText:
    row.plain_text === null || row.plain_text_overridden_at === null || row.plain_text_overridden_version === null
      ? null
      : {
          text: row.plain_text,
          at: DateTime.makeUnsafe(row.plain_text_overridden_at),
          version: row.plain_text_overridden_version,
        },
  approval:
    row.approval_id === null || row.approved_version === null
      ? null
      : { id: ApprovalId.make(row.approval_id), version: row.approved_version },
  generationStatus: row.generation_status,
  createdByName: row.created_by_name,
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

export const columnsOf = (email: Email) => ({
  name: email.name,
  name_folded: fold(email.name),
  status: statusOf(email),
  current_version: email.currentVersion,
  subject: email.subject,
  preview_text: email.previewText,
  from_name: email.fromName,
  from_address: email.fromAddress,
  reply_to_email: email.replyToEmail,
  plain_text: email.plainText?.text ?? null,
  plain_text_overridden_at: email.plainText === null ? null : DateTime.formatIso(email.plainText.at),
  plain_text_overridden_version: email.plainText?.version ?? null,
  approved_version: email.approval?.version ?? null,
  approval_id: email.approval?.id ?? null,
  updated_at: DateTime.formatIso(email.updatedAt),
})

export interface ApprovalRow {
  readonly approval_id: string
  readonly email_id: string
  readonly version: number
  readonly subject: string
  readonly preview_text: string | null
  readonly from_name: string
  readonly from_address: string
  readonly reply_to_email: string
  readonly html: string
  readonly plain_text: string
  readonly approved_at: Date
}

export const toApproved = (row: ApprovalRow): ApprovedEmail => ({
  approvalId: ApprovalId.make(row.approval_id),
  emailId: EmailId.make(row.email_id),
  version: row.version,
  subject: row.subject,
  previewText: row.preview_text,
  fromName: row.from_name,
  fromAddress: row.from_address,
  replyToEmail: row.reply_to_email,
  html: row.html,
  text: row.plain_text,
  approvedAt: DateTime.makeUnsafe(row.approved_at),
})
