// Rows of subscription requests.
import type { PgClient } from "@effect/sql-pg"
import { ContactId, EmailId, MessageId, SubscriptionRequestId, TopicId } from "@tentpole/core/kernel/Ids"
import type {
  PreviousChoice,
  RequestStatus,
  SubscriptionRequest,
} from "@tentpole/core/subscriptions/SubscriptionRequest"
import type { Evidence } from "@tentpole/core/topics/ConsentRecord"
import { DateTime } from "effect"
import { timestamps, uuids } from "../kernel/Arrays.ts"
import { instant, iso } from "../kernel/Instants.ts"

export const requestColumns = `r.subscription_request_id, r.contact_id, r.status, r.topic_ids, r.granted_topic_ids, r.previous, r.email,
  r.email_normalized, r.evidence, r.made_contact, r.superseded_by, r.confirmation_email_id, r.redirect_url, r.message_id, r.mailed_at,
  r.expires_at, r.confirmed_at, r.created_at`

export interface RequestRow {
  readonly subscription_request_id: string
  readonly contact_id: string | null
  readonly status: RequestStatus
  readonly topic_ids: ReadonlyArray<string>
  readonly granted_topic_ids: ReadonlyArray<string>
  readonly previous: ReadonlyArray<PreviousChoice>
  readonly email: string
  readonly email_normalized: string
  readonly evidence: Evidence
  readonly made_contact: boolean
  readonly superseded_by: string | null
  readonly confirmation_email_id: string | null
  readonly redirect_url: string | null
  readonly message_id: string | null
  readonly mailed_at: ReadonlyArray<Date>
  readonly expires_at: Date
  readonly confirmed_at: Date | null
  readonly created_at: Date
}

export const toRequest = (row: RequestRow): SubscriptionRequest => ({
  id: SubscriptionRequestId.make(row.subscription_request_id),
  contactId: row.contact_id === null ? null : ContactId.make(row.contact_id),
  status: row.status,
  topicIds: row.topic_ids.map((id) => TopicId.make(id)),
  grantedTopicIds: row.granted_topic_ids.map((id) => TopicId.make(id)),
  previous: row.previous,
  email: row.email,
  emailNormalized: row.email_normalized,
  evidence: row.evidence,
  madeContact: row.made_contact,
  supersededBy: row.superseded_by === null ? null : SubscriptionRequestId.make(row.superseded_by),
  confirmationEmailId: row.confirmation_email_id === null ? null : EmailId.make(row.confirmation_email_id),
  redirectUrl: row.redirect_url,
  messageId: row.message_id === null ? null : MessageId.make(row.message_id),
  mailedAt: row.mailed_at.map((at) => DateTime.makeUnsafe(at)),
  expiresAt: DateTime.makeUnsafe(row.expires_at),
  confirmedAt: instant(row.confirmed_at),
  createdAt: DateTime.makeUnsafe(row.created_at),
})

/** The columns that a change may write. */
export const columnsOf = (sql: PgClient.PgClient, it: SubscriptionRequest) => ({
  contact_id: it.contactId,
  status: it.status,
  topic_ids: uuids(it.topicIds),
  granted_topic_ids: uuids(it.grantedTopicIds),
  previous: sql.json(it.previous),
  email: it.email,
  email_normalized: it.emailNormalized,
  evidence: sql.json(it.evidence),
  made_contact: it.madeContact,
  superseded_by: it.supersededBy,
  confirmation_email_id: it.confirmationEmailId,
  redirect_url: it.redirectUrl,
  message_id: it.messageId,
  mailed_at: timestamps(it.mailedAt),
  expires_at: iso(it.expiresAt),
  confirmed_at: iso(it.confirmedAt),
  detached_at: it.contactId === null ? iso(it.expiresAt) : null,
  created_at: iso(it.createdAt),
})
