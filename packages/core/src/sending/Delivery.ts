// One message to one person, from the moment the audience is fixed to its end. Sending is at most once: the intent to send
// is committed between the server's 354 and the message's body, and a message whose outcome stayed unknown is never sent
// again by itself. `move` is the whole machine; stores make no other moves.
import type { DateTime } from "effect"
import type { FlowTokens } from "../rendering/MergeTokens.ts"
import type { ApprovalId, BlastId, ContactId, DeliveryId, FlowId, MembershipId } from "../kernel/Ids.ts"

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

/** Why a message failed. */
export const failureReasons = [
  /** The server said that the address is bad (5.1.x). */
  "hard_bounce",
  /** Refused for good (5xx), for another reason. */
  "refused",
  /** Refused for the moment (4xx), until the tries were used up. */
  "temporarily_refused",
  /** No connection held until the message was out, until the tries were used up. */
  "unreachable",
  /** The message could not be made. */
  "not_rendered",
  /** The blast as a whole failed before this message's turn. */
  "blast_failed",
  /** Nobody knows: the worker died or the connection was cut between the body and the reply. */
  "unconfirmed",
] as const
export type FailureReason = (typeof failureReasons)[number]

/**
 * The reasons that may pass: what is sent again when failed recipients are retried. `unconfirmed` only when the user asks
 * for it by name.
 */
export const passingReasons: ReadonlySet<string> = new Set([
  "refused",
  "temporarily_refused",
  "unreachable",
  "blast_failed",
] satisfies ReadonlyArray<FailureReason>)

/** Whom a flow has the message for: one visit of one member to one of its steps. */
export interface FlowMessage {
  readonly membershipId: MembershipId
  readonly flowId: FlowId
  readonly stepId: string
  readonly visit: number
  /** Values of `{{campaign.dynamic.<key>}}`, as they were when the message was asked for. */
  readonly tokens: FlowTokens
}

export interface Delivery {
  readonly id: DeliveryId
  /** Of a flow's message: what stands for its step among the blasts, and is shown nowhere. */
  readonly blastId: BlastId
  /** Null: the message is a blast's. */
  readonly flow: FlowMessage | null
  readonly contactId: ContactId
  readonly approvalId: ApprovalId
  /** Null only where the contact has none: such a delivery is `blocked`. */
  readonly email: string | null
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  /** Names the claim that holds the delivery; grows with every claim, and fences every write of its holder. */
  readonly token: number | null
  /** How often it was tried in vain. */
  readonly attempts: number
  readonly dueAt: DateTime.Utc
  readonly handedOverAt: DateTime.Utc | null
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

/** What the intent was answered. `paused`: not now, the delivery goes back into the queue. */
export type IntentAnswer = "granted" | "paused" | BlockReason

/** How a try ended, as it is written down. */
export type Ending =
  | { readonly state: "sent" }
  | { readonly state: "failed"; readonly reason: FailureReason }
  | { readonly state: "queued" }
  | { readonly state: "unconfirmed" }

/** What the machine moves. */
export interface Standing {
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  readonly token: number | null
  readonly attempts: number
}

export type Move =
  | { readonly _tag: "claim"; readonly token: number }
  /** The holder asks, its lease still running, to hand the message over. */
  | { readonly _tag: "intent"; readonly token: number; readonly answer: IntentAnswer }
  | { readonly _tag: "settle"; readonly token: number; readonly ending: Ending }
  /** The holder, alive, knows that nothing was sent, and no try is to be counted. */
  | { readonly _tag: "giveBack"; readonly token: number }
  /** The lease ran out: its holder died, or is frozen. */
  | { readonly _tag: "expire" }
  /** The blast ends before its time: cancelled, or failed. */
  | { readonly _tag: "end"; readonly ending: "cancelled" | "blast_failed" }
  /** A click: whoever was in doubt knows now that it was sent. */
  | { readonly _tag: "evidence" }
  /** Another server says what became of the message: it has had it, even if its sender was not told yet. */
  | { readonly _tag: "report" }
  /** The user wants it tried again; `unconfirmed`: even at the risk of a second message. */
  | { readonly _tag: "retry"; readonly unconfirmed: boolean }
