// What callers of the use cases of single messages give and get.
import type { DateTime } from "effect"
import type { FreePlanEmailLimit } from "../blasts/Readiness.ts"
import type { ContactId, EmailId } from "../kernel/Ids.ts"
import type { ListedBy } from "../kernel/Page.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import { type EmailMessage, type MessageStatus, messageStatus } from "./EmailMessage.ts"
import type { PreparationRefusal } from "./Preparation.ts"

/** Accepted, but probably not intended. */
export const messageWarnings = ["sender_shared_with_marketing"] as const
export type MessageWarning = (typeof messageWarnings)[number]

export interface MessageView {
  readonly message: EmailMessage
  /** At the time of the request. */
  readonly status: MessageStatus
}

export const viewOf = (message: EmailMessage, now: DateTime.Utc): MessageView => ({
  message,
  status: messageStatus(message, now),
})

export interface SentMessage extends MessageView {
  readonly warnings: ReadonlyArray<MessageWarning>
  /** The key was used before: this is the first request's message, as it is now. Answer with `Idempotency-Replayed: true`. */
  readonly replayed: boolean
}

/** Codes of rejected items. */
export const messageItemCodes = [
  "INVALID_ITEM",
  "NOT_FOUND",
  "email_not_ready",
  "email_not_approved",
  "template_not_approved",
  "unresolved_tokens",
  "free_plan_email_limit",
  "message_too_large",
  "too_complex",
  "topic_archived",
] as const
export type MessageItemCode = (typeof messageItemCodes)[number]

/** In the order of the request. */
export type MessageItem = { readonly clientItemId: string | null } & (
  | ({ readonly status: "accepted"; readonly warnings: ReadonlyArray<MessageWarning> } & {
      readonly view: MessageView
    })
  | { readonly status: "rejected"; readonly code: MessageItemCode; readonly message: string }
)

export interface SentBatch {
  readonly items: ReadonlyArray<MessageItem>
  readonly replayed: boolean
}

export interface ListedMessages extends ListedBy {
  readonly status?: MessageStatus
  /** An address. One that can't be normalised matches no message. */
  readonly to?: string
  readonly contactId?: ContactId
  readonly emailId?: EmailId
  /** `name:value`. */
  readonly tag?: string
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
}

/** A message as it went out, with the current values of its contact. */
export interface RenderedContent {
  readonly subject: string
  /** Null: a plain message. */
  readonly html: string | null
  readonly text: string
}

export type SendRefusal = Invalid | PreparationRefusal | FreePlanEmailLimit
