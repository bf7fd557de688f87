// A single message: one email to one recipient, accepted by a call of the API and sent by the pipeline of deliveries. It has the id
// of its delivery.
import type { DateTime } from "effect"
import type { ContactId, EmailId, EmailTemplateId, MessageId, TopicId } from "../kernel/Ids.ts"
import { domainOf } from "../emails/Email.ts"
import type { BlockReason, DeliveryProgress, DeliveryState, FailureReason } from "../sending/Delivery.ts"
import type { MessageAttachment } from "../sending/messages/MessageContent.ts"

/** Messages of one batch. */
export const batch_items_max = 100
export const client_item_id_length_max = 255
export const to_name_length_max = 120
export const message_html_bytes_max = 2 * 2 ** 20
export const message_text_length_max = 1_000_000
export const data_bytes_max = 64 * 2 ** 10
export const data_depth_max = 10
export const attachments_max = 20
export const file_name_length_max = 255
/** Of all attachments of a message together, decoded. */
export const attachments_bytes_max = 10 * 2 ** 20
export const custom_headers_max = 20
/** A line of a message has at most so many characters (RFC 5322 §2.1.1). */
export const header_value_length_max = 998
export const tags_max = 10
export const tag_length_max = 100
export const metadata_max = 20
export const metadata_length_max = 500
/** How far ahead `scheduled_at` and `expires_at` may be. */
export const ahead_days_max = 30
/** A message that names no end is not sent later than this after its time. */
export const expires_after_hours = 24
/** How long a repeated request with the same key gets the first messages again. */
export const key_days = 7

/** As a caller sees it: `scheduled` and `queued` have not ended, the others have. */
export const messageStatuses = ["scheduled", "queued", "sent", "failed", "blocked"] as const
export type MessageStatus = (typeof messageStatuses)[number]

export interface MessageRecipient {
  /** Null: it was erased. */
  readonly email: string | null
  readonly name: string | null
}

export interface EmailMessage extends DeliveryProgress {
  readonly id: MessageId
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  readonly to: MessageRecipient
  /** Null: no contact had the address, or none was looked for. */
  readonly contactId: ContactId | null
  /** The source: an email, a template, or neither: inline content. */
  readonly emailId: EmailId | null
  readonly approvedEmailVersion: number | null
  readonly templateId: EmailTemplateId | null
  /** As it was accepted, with the values of its tokens. */
  readonly subject: string
  readonly previewText: string | null
  readonly fromName: string | null
  readonly fromAddress: string
  readonly replyToEmail: string | null
  readonly operational: boolean
  /** Null: all marketing, or operational. */
  readonly topicId: TopicId | null
  readonly trackOpens: boolean
  readonly trackClicks: boolean
  readonly retainContent: boolean
  readonly tags: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
  /** Custom headers, in their order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly attachments: ReadonlyArray<MessageAttachment>
  /** Names of tokens without a value and a fallback. They were sent as nothing. */
  readonly unresolvedTokens: ReadonlyArray<string>
  readonly clientItemId: string | null
  readonly scheduledAt: DateTime.Utc | null
  readonly expiresAt: DateTime.Utc
  /** Failed attempts. */
  readonly attempts: number
  readonly createdAt: DateTime.Utc
  readonly failedAt: DateTime.Utc | null
  /** When it was blocked or cancelled. */
  readonly blockedAt: DateTime.Utc | null
}

/** The status that callers see at a time. `unconfirmed` is a failure, with the reason `unconfirmed`. */
export const messageStatus = (
  { scheduledAt, state }: Pick<EmailMessage, "scheduledAt" | "state">,
  now: DateTime.Utc,
): MessageStatus => {
  switch (state) {
    case "queued":
      return scheduledAt !== null && scheduledAt.epochMilliseconds > now.epochMilliseconds ? "scheduled" : "queued"
    case "claimed":
    case "handed_over":
      return "queued"
    case "unconfirmed":
      return "failed"
    default:
      return state
  }
}

/** The `Message-ID` header, with its angle brackets. */
export const smtpMessageIdOf = ({ fromAddress, id }: Pick<EmailMessage, "fromAddress" | "id">): string =>
  `<${id}@${domainOf(fromAddress)}>`

/** In the order of a message's life. */
export const messageEventTypes = [
  "email_accepted",
  "email_sent",
  "email_delivered",
  "email_opened",
  "email_clicked",
  "email_bounced",
  "email_complained",
  "email_unsubscribed",
  "email_failed",
  "email_blocked",
] as const
export type MessageEventType = (typeof messageEventTypes)[number]

/** An entry of a message's own timeline. */
export interface MessageEvent {
  readonly type: MessageEventType
  readonly at: DateTime.Utc
  readonly metadata: Readonly<Record<string, string>>
}

/** What has happened to a message, the oldest entry first. The first open and the first click only. */
export const messageEvents = (message: EmailMessage): ReadonlyArray<MessageEvent> => {
  const times: { readonly [Type in MessageEventType]: DateTime.Utc | null } = {
    email_accepted: message.createdAt,
    email_sent: message.sentAt,
    email_delivered: message.deliveredAt,
    email_opened: message.openedAt,
    email_clicked: message.clickedAt,
    email_bounced: message.bouncedAt,
    email_complained: message.complainedAt,
    email_unsubscribed: message.unsubscribedAt,
    email_failed: message.failedAt,
    email_blocked: message.state === "blocked" ? (message.blockedAt ?? message.createdAt) : null,
  }
  return messageEventTypes
    .flatMap((type): ReadonlyArray<MessageEvent> => {
      const at = times[type]
      return at === null ? [] : [{ type, at, metadata: metadataOf(type, message) }]
    })
    .sort((left, right) => left.at.epochMilliseconds - right.at.epochMilliseconds)
}

const metadataOf = (type: MessageEventType, { clickedUrl, reason }: EmailMessage): MessageEvent["metadata"] => {
  if (type === "email_clicked") return clickedUrl === null ? {} : { url: clickedUrl }
  return (type === "email_failed" || type === "email_blocked") && reason !== null ? { reason } : {}
}
