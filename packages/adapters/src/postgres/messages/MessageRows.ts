// Rows of single messages on PostgreSQL and their conversion: `email_message`, with the state and the recipient of its delivery.
import type { PgClient } from "@effect/sql-pg"
import type { EmailMessage } from "@tentpole/core/messages/EmailMessage"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { progressColumns } from "../sending/DeliveryRows.ts"

type Sql = PgClient.PgClient

export type MessageRow = RowOf<EmailMessage>

/** Messages `m`, their deliveries `d`, and of those that have not ended the rows `q` of the queue. */
export const messageTables = (sql: Sql, workspace: WorkspaceId) => sql`email_message m
  join delivery d on d.workspace_id = ${workspace} and d.delivery_id = m.delivery_id
  left join delivery_queue q on d.state = 'queued' and q.workspace_id = ${workspace} and q.delivery_id = m.delivery_id`

/** The columns of a `MessageRow`, for a SELECT from `messageTables`. */
export const messageColumns = `m.delivery_id as id, coalesce(q.state, d.state) as state, d.reason,
  jsonb_build_object('email', d.email, 'name', m.to_name) as "to", d.contact_id as "contactId", m.email_id as "emailId",
  m.approved_email_version as "approvedEmailVersion", m.template_id as "templateId", m.subject, m.preview_text as "previewText",
  m.from_name as "fromName", m.from_address as "fromAddress", m.reply_to_email as "replyToEmail", d.operational, d.topic_id as "topicId",
  m.track_opens as "trackOpens", m.track_clicks as "trackClicks", m.retain_content as "retainContent",
  coalesce(d.message -> 'tags', '{}') as tags, coalesce(d.message -> 'metadata', '{}') as metadata, m.headers, m.attachments,
  m.unresolved_tokens as "unresolvedTokens", m.client_item_id as "clientItemId", m.scheduled_at as "scheduledAt",
  m.expires_at as "expiresAt", d.attempts, m.created_at as "createdAt", d.failed_at as "failedAt", d.blocked_at as "blockedAt",
  ${progressColumns}`

export const toMessage = (row: MessageRow): EmailMessage => fromRow<EmailMessage>(row)
