// An approval of an email: HTML, plain text, subject, preview text and sender. Sends use the approval only.
import type { DateTime } from "effect"
import type { ApprovalId, EmailId } from "../kernel/Ids.ts"

export interface ApprovedEmail {
  readonly approvalId: ApprovalId
  readonly emailId: EmailId
  readonly version: number
  readonly subject: string
  readonly previewText: string | null
  readonly fromName: string
  readonly fromAddress: string
  readonly replyToEmail: string
  readonly html: string
  readonly text: string
  readonly approvedAt: DateTime.Utc
}
