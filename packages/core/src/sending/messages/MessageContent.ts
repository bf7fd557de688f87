// What a single message has besides its delivery: the parts that its rendering and its retries need.
import type { DateTime } from "effect"
import { blankContact, type Contact } from "../../contacts/Contact.ts"
import { ApprovalId, ContactId, type DeliveryId } from "../../kernel/Ids.ts"

/** A file of a message, without its bytes. */
export interface MessageAttachment {
  readonly fileName: string
  readonly contentType: string
  /** The name that `cid:` links of the HTML have; null: the file is not part of the HTML. */
  readonly contentId: string | null
  readonly size_bytes: number
}

/** JSON that tokens read values of. */
export type MessageData = Readonly<Record<string, unknown>>

/** The header of a message as it was accepted, with the values of its tokens: braces in it are text. */
export interface MessageHeader {
  readonly subject: string
  readonly fromName: string | null
  readonly fromAddress: string
  readonly replyToEmail: string | null
}

export interface MessageContent {
  readonly header: MessageHeader
  readonly toName: string | null
  /** Custom headers, in their order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly attachments: ReadonlyArray<MessageAttachment>
  readonly trackOpens: boolean
  readonly trackClicks: boolean
  /** Null: it was deleted, and the message can't be rendered any more. */
  readonly body: MessageBody | null
}

export interface MessageBody {
  readonly data: MessageData
  /** Null: the parts of the approval of the delivery. At least one of the two is not null. */
  readonly own: { readonly html: string | null; readonly text: string | null } | null
}

/** The part of a claimed message that only messages have. */
export interface ClaimedMessage extends MessageContent {
  /** A later attempt is not made. */
  readonly expiresAt: DateTime.Utc
  /** When it was accepted, or its scheduled time. */
  readonly waitingSince: DateTime.Utc
}

/** The contact of a message that has none: it has what is known of the recipient. */
export const strangerOf = (id: DeliveryId, at: DateTime.Utc, email: string | null, name: string | null): Contact => ({
  ...blankContact(ContactId.make(id), at),
  displayName: name,
  email,
})

/** The approval of a delivery whose message has parts of its own. */
export const ownApproval = (id: DeliveryId): ApprovalId => ApprovalId.make(id)
