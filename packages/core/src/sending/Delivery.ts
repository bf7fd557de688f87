// A delivery: one message to one recipient, from the audience pass to its end. A message is sent at most once: the intent is
// committed between the server's 354 and the body, and a message with unknown outcome is never sent again automatically. The
// transitions are in `machine.ts`.
import { type DateTime, Struct } from "effect"
import type { FlowTokens } from "../rendering/MergeTokens.ts"
import type { ApprovalId, BlastId, ContactId, DeliveryId, FlowId, MembershipId, TopicId } from "../kernel/Ids.ts"

/**
 * queued → claimed → handed_over → sent | failed. `blocked` until the intent. `unconfirmed` when a worker died, or the
 * connection was cut, between the intent and the reply. A `claimed` message is certainly not sent: it may be claimed again.
 */
export const deliveryStates = ["queued", "claimed", "handed_over", "sent", "failed", "blocked", "unconfirmed"] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const finalStates: ReadonlySet<DeliveryState> = new Set(["sent", "failed", "blocked", "unconfirmed"])

/** Why a message was not sent to a recipient. */
export const blockReasons = [
  "no_email",
  "unsubscribed",
  "opt_out",
  /** The recipient ended the topic of the message. */
  "topic_unsubscribed",
  /** The recipient has not agreed to the topic, or to marketing where the workspace requires it. */
  "no_consent",
  "invalid_email",
  "suppressed",
  "duplicate_address",
  "cancelled",
  "contact_deleted",
] as const
export type BlockReason = (typeof blockReasons)[number]

/** Why a message failed. */
export const failureReasons = [
  /** The server said that the address is bad (5.1.x). */
  "hard_bounce",
  /** Refused permanently (5xx), for another reason. */
  "refused",
  /** Refused temporarily (4xx), until the attempts were used up. */
  "temporarily_refused",
  /** The connection failed before the message was out, until the attempts were used up. */
  "unreachable",
  /** The message could not be rendered. */
  "not_rendered",
  /** The message is larger than `MESSAGE_BYTES_MAX` with the values of this contact. */
  "message_too_large",
  /** The blast as a whole failed before this message was sent. */
  "blast_failed",
  /** A single message was not handed over before its `expires_at`. */
  "expired",
  /** Unknown: the worker died or the connection was cut between the body and the reply. */
  "unconfirmed",
] as const
export type FailureReason = (typeof failureReasons)[number]

/** The temporary reasons: a retry sends these again. It includes `unconfirmed` only when the user requests it by name. */
export const temporaryReasons: ReadonlySet<string> = new Set([
  "refused",
  "temporarily_refused",
  "unreachable",
  "blast_failed",
] satisfies ReadonlyArray<FailureReason>)

/** The step visit that sends the message: one visit of one membership to one step. */
export interface FlowMessage {
  readonly membershipId: MembershipId
  readonly flowId: FlowId
  readonly stepId: string
  readonly visit: number
  /** Values of `{{campaign.dynamic.<key>}}` when the message was requested. */
  readonly tokens: FlowTokens
}

/** What a single message carries through its life. */
export interface MessageLabels {
  readonly tags: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
}

/** The part of a delivery that the state machine changes. */
export interface DeliveryMachineState {
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  /** The fencing token of the claim. It grows with every claim, and every write of the worker names it. */
  readonly token: number | null
  /** Failed attempts. */
  readonly attempts: number
}

/** What has happened to a message, and when. */
export interface DeliveryProgress {
  readonly sentAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
  readonly openedAt: DateTime.Utc | null
  readonly clickedAt: DateTime.Utc | null
  readonly clickedUrl: string | null
  readonly bouncedAt: DateTime.Utc | null
  readonly unsubscribedAt: DateTime.Utc | null
  readonly complainedAt: DateTime.Utc | null
}

export interface Delivery extends DeliveryMachineState, DeliveryProgress {
  readonly id: DeliveryId
  /** Of a flow's message: the hidden blast that represents its step. Of a single message: its line. They are shown nowhere. */
  readonly blastId: BlastId
  /** Null: the message belongs to a blast, or is a single one. */
  readonly flow: FlowMessage | null
  /** Null: the message belongs to a blast or a flow. */
  readonly message: MessageLabels | null
  /** Null only of a single message: no contact had its address, or none was looked for. */
  readonly contactId: ContactId | null
  readonly approvalId: ApprovalId
  /** Null: all marketing, and always of operational messages. */
  readonly topicId: TopicId | null
  /** Null only when the contact has none: such a delivery is `blocked`. */
  readonly email: string | null
  readonly dueAt: DateTime.Utc
  /** Null unless it is a single message. */
  readonly expiresAt: DateTime.Utc | null
  readonly handedOverAt: DateTime.Utc | null
}

export interface AudienceCounts {
  readonly recipientCount: number
  /** Recipients left after suppression. */
  readonly qualifiedCount: number
}

/** The audience at the start of sending, written once. */
export interface FixedAudience extends AudienceCounts {
  readonly at: DateTime.Utc
  /** Cut by the plan's `recipients_per_blast`. */
  readonly truncated: boolean
}

/** Progress while recipients are written in the order of contact ids. */
export interface AudiencePass extends AudienceCounts {
  readonly through: ContactId
}

/** The counters of a blast without recipients. */
export const emptyTally = {
  queued: 0,
  /** Queued, after an attempt that failed for a temporary reason. */
  deferred: 0,
  sent: 0,
  failed: 0,
  blocked: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
}

/** How many recipients of a blast are in each state or have had each event. Counts recipients, never events. */
export type DeliveryTally = Readonly<typeof emptyTally>

export const tallyCounters = Struct.keys(emptyTally)

/** The answer to a request for an intent. `paused`: not now, the delivery is queued again. */
export type IntentAnswer = "granted" | "paused" | BlockReason

/** How an attempt ended, as it is stored. */
export type DeliveryOutcome =
  | { readonly state: "sent" }
  | { readonly state: "failed"; readonly reason: FailureReason }
  | { readonly state: "queued" }
  | { readonly state: "unconfirmed" }

export type Move =
  | { readonly _tag: "claim"; readonly token: number }
  /** The worker requests the intent, while its lease is valid. */
  | { readonly _tag: "intent"; readonly token: number; readonly answer: IntentAnswer }
  | { readonly _tag: "settle"; readonly token: number; readonly ending: DeliveryOutcome }
  /** The worker knows that nothing was sent. No attempt is counted. */
  | { readonly _tag: "release"; readonly token: number }
  /** A single message was not handed over in time. */
  | { readonly _tag: "late" }
  /** The lease ran out: its worker died, or is frozen. */
  | { readonly _tag: "expire" }
  /** The database was restored from a backup: the message may have been sent since. */
  | { readonly _tag: "restore" }
  /** The blast ended early: cancelled, or failed. `duplicate_address`: another message of the blast is for the same contact. */
  | { readonly _tag: "end"; readonly ending: "cancelled" | "blast_failed" | "duplicate_address" }
  /** An open or click: an `unconfirmed` message is known to have been sent. */
  | { readonly _tag: "evidence" }
  /** Another server reported on the message: it was sent, even if its worker has no reply yet. */
  | { readonly _tag: "report" }
  /** The user retries it. `unconfirmed`: even at the risk of a second message. */
  | { readonly _tag: "retry"; readonly unconfirmed: boolean }
