// One message to one person, from the moment the audience is fixed to its end. Sending is at most once: the intent to send
// is committed between the server's 354 and the message's body, and a message whose outcome stayed unknown is never sent
// again by itself.
import type { DateTime } from "effect"
import type { ApprovalId, BlastId, ContactId, DeliveryId } from "../Ids.ts"

/**
 * queued → claimed → handed_over → sent | failed, with `blocked` until the intent and `unconfirmed` when a worker died (or
 * the connection was cut) between the intent and the reply. `claimed` is provably not sent: it may be taken away freely.
 */
export type DeliveryState = "queued" | "claimed" | "handed_over" | "sent" | "failed" | "blocked" | "unconfirmed"

export const finalStates: ReadonlySet<DeliveryState> = new Set(["sent", "failed", "blocked", "unconfirmed"])

/** Why a recipient was not to be mailed. */
export const blockReasons = [
  "no_email",
  "unsubscribed",
  "opt_out",
  "invalid_email",
  "suppressed",
  "duplicate_address",
  "cancelled",
  "contact_deleted",
] as const
export type BlockReason = (typeof blockReasons)[number]

export interface Delivery {
  readonly id: DeliveryId
  readonly blastId: BlastId
  readonly contactId: ContactId
  readonly approvalId: ApprovalId
  /** Null only where the contact has none: such a delivery is `blocked`. */
  readonly email: string | null
  readonly state: DeliveryState
  readonly reason: string | null
  /** Names the claim that holds the delivery; grows with every claim, and fences every write of its holder. */
  readonly token: number | null
  readonly attempts: number
  readonly dueAt: DateTime.Utc
  readonly sentAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
  readonly openedAt: DateTime.Utc | null
  readonly clickedAt: DateTime.Utc | null
  readonly clickedUrl: string | null
  readonly bouncedAt: DateTime.Utc | null
  readonly unsubscribedAt: DateTime.Utc | null
  readonly complainedAt: DateTime.Utc | null
}

/** How many recipients of a blast are in each state or have had each event. Counts recipients, never events. */
export interface DeliveryTally {
  readonly queued: number
  readonly sent: number
  readonly failed: number
  readonly blocked: number
  readonly delivered: number
  readonly opened: number
  readonly clicked: number
  readonly bounced: number
  readonly complained: number
  readonly unsubscribed: number
}
