// A subscription request: a person, or a caller for them, subscribes to topics. Topics that need a confirmation wait for it.
import type { DateTime } from "effect"
import type { ContactId, EmailId, MessageId, SubscriptionRequestId, TopicId } from "../kernel/Ids.ts"
import type { ConsentSource, Evidence } from "../topics/ConsentRecord.ts"
import type { TopicStatus } from "../topics/Topic.ts"

export const requestStatuses = ["pending", "confirmed", "expired", "superseded"] as const
/** `superseded`: the same person asked again. The link of this request confirms the newer one. */
export type RequestStatus = (typeof requestStatuses)[number]

export const request_topics_max = 20
export const redirect_url_length_max = 2_000

/** What was recorded for a topic before the request made it pending. Without an entry, nothing was. */
export interface PreviousChoice {
  readonly topicId: TopicId
  readonly status: Exclude<TopicStatus, "pending">
  readonly source: ConsentSource
}

export interface SubscriptionRequest {
  readonly id: SubscriptionRequestId
  /** Null: the contact was deleted, because the request had created it and expired. */
  readonly contactId: ContactId | null
  readonly status: RequestStatus
  /** Topics that wait for the confirmation, or waited. */
  readonly topicIds: ReadonlyArray<TopicId>
  /** Topics that needed none, or were subscribed before. */
  readonly grantedTopicIds: ReadonlyArray<TopicId>
  readonly previous: ReadonlyArray<PreviousChoice>
  readonly email: string
  readonly emailNormalized: string
  /** What the person was shown when they asked. */
  readonly evidence: Evidence
  /** The request created the contact. */
  readonly madeContact: boolean
  readonly supersededBy: SubscriptionRequestId | null
  /** The caller's own confirmation email; null: that of the workspace, or the built-in one. */
  readonly confirmationEmailId: EmailId | null
  /** Where the page leads after the confirmation. */
  readonly redirectUrl: string | null
  /** The last confirmation mail. */
  readonly messageId: MessageId | null
  /** When confirmation mails were accepted, in order. */
  readonly mailedAt: ReadonlyArray<DateTime.Utc>
  readonly expiresAt: DateTime.Utc
  readonly confirmedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
}

/** A request whose time is over is expired, also before a worker has written it. */
export const requestStatusAt = (
  { expiresAt, status }: Pick<SubscriptionRequest, "expiresAt" | "status">,
  now: DateTime.Utc,
): RequestStatus => (status === "pending" && expiresAt.epochMilliseconds <= now.epochMilliseconds ? "expired" : status)
