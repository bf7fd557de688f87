// The port of the sending pipeline. Rows are claimed under a lease and a fencing token, and every later write of the worker
// names both. Safety depends on state and token; clocks only decide how soon. Leases and due times use the store's clock.
import { Context, type Effect, Schema } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { ClaimedMessage } from "./messages/MessageContent.ts"
import type { FlowTokens } from "../rendering/MergeTokens.ts"
import type { ApprovalId, BlastId, DeliveryId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { FixedAudience, IntentAnswer } from "./Delivery.ts"
import type { Settlement } from "./Settlement.ts"

/** The list of the blast's audience has been deleted. */
export class AudienceGone extends Schema.TaggedError<AudienceGone>()("AudienceGone", {}) {
  override get message(): string {
    return "The audience list of the blast was deleted"
  }
}

/** A delivery claimed by one worker, with the data of its message. */
export interface ClaimedDelivery {
  readonly id: DeliveryId
  readonly token: number
  /** Failed attempts before this one. */
  readonly attempts: number
  /** Its permit expires: a worker that can't start it within `permit_ms` of SendRateLimit releases it. */
  readonly rateLimited: boolean
  readonly blastId: BlastId
  /** Values of `{{campaign.dynamic.<key>}}` of a flow's message; null: the message belongs to a blast. */
  readonly tokens: FlowTokens | null
  readonly approvalId: ApprovalId
  /** Null: all marketing, or operational. */
  readonly topicId: TopicId | null
  readonly operational: boolean
  /** The address when the audience was fixed; the contact may have another one since. */
  readonly address: string
  /**
   * The contact now; null when it has been deleted: the request for the intent then blocks the delivery. A single message without
   * contact has one that only has its address and name (`strangerOf`).
   */
  readonly contact: Contact | null
  /** Null: the delivery belongs to a blast or a flow. */
  readonly message: ClaimedMessage | null
}

/** Identifies a claimed delivery and proves the claim. */
export interface Claim {
  readonly id: DeliveryId
  readonly blastId: BlastId
  readonly token: number
}

export interface ClaimOptions {
  /** Deliveries. */
  readonly limit: number
  readonly lease_ms: number
  /** No more contacts are loaded once they reach this size. Defaults to `claimed_bytes_max`. */
  readonly bytes_max?: number
}

/** A contact may have two megabytes of values: five hundred of those would fill a worker's memory. */
export const claimed_bytes_max = 8_000_000

/** An object with its standard fields. */
const empty_bytes = 500

/** An estimate of the memory that a contact takes. Text takes up to two bytes a character. */
export const estimateContactBytes = (contact: Contact): number => {
  let bytes = empty_bytes
  for (const value of Object.values(contact.customFields).flat()) {
    bytes += typeof value === "string" ? 2 * value.length : 8
  }
  return bytes
}

/** What a sweep has ended, by its result. */
export interface Swept {
  readonly queued: number
  readonly unconfirmed: number
  /** Single messages that were not handed over in time. */
  readonly expired: number
}

/** The rest of a workspace's queue. */
export interface TurnEnd {
  /** No delivery of the workspace is open: its sending blasts can be completed. */
  readonly dry: boolean
}

/** A turn of a workspace that has single messages to send. It grows with each turn and each hint. */
export interface MessageTurn {
  readonly workspace: WorkspaceId
  readonly token: string
}

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Writes a delivery for every contact in the blast's audience, blocked ones too, with the counts of the blast, and makes the
     * workspace due. One call covers the next `contacts_max` contacts of the workspace, in the order of their ids, and returns
     * "unfinished" until the last. So the first messages are sent while the rest is written. Once finished, it returns the same
     * result and adds no delivery. Null when the blast is not sending; but the audience of a blast that ends meanwhile is
     * written to its end.
     *
     * The block reason of a contact is decided when its slice is written. An address that already has a delivery of the blast
     * gets no second one. An audience that the plan cuts (`recipients_per_blast`) is written in one call.
     */
    readonly fixAudience: (
      workspace: WorkspaceId,
      blast: BlastId,
      contacts_max: number,
    ) => Effect.Effect<FixedAudience | "unfinished" | null, AudienceGone, Transaction>

    /** Workspaces that may have messages to send now, longest without a turn first, without those in `except`. */
    readonly dueWorkspaces: (
      limit: number,
      except?: ReadonlyArray<WorkspaceId>,
    ) => Effect.Effect<ReadonlyArray<WorkspaceId>>
    /** Workspaces with deliveries that have not ended, due or not: those a sweep has to look at. */
    readonly openWorkspaces: (limit: number) => Effect.Effect<ReadonlyArray<WorkspaceId>>

    /**
     * Claims up to `limit` due deliveries of blasts that are sending and not paused, under a new fencing token, and moves the
     * workspace to the end of the turn order. Two workers never claim the same delivery, and neither waits for the other. Where
     * the workspace or its recipients' domains have a send rate limit, the claim takes permits (`SendRateLimit`), shared by all
     * workers, and a domain that waits does not delay others. A claim uses up its permits, however it ends.
     */
    readonly claim: (
      workspace: WorkspaceId,
      options: ClaimOptions,
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, never, Transaction>
    /**
     * Takes the turns of workspaces that have single messages to send, the longest waiting first. Another worker gets none of them
     * for `turn_ms`, unless the turn ends before.
     */
    readonly messageTurns: (
      limit: number,
      turn_ms: number,
    ) => Effect.Effect<ReadonlyArray<MessageTurn>, never, Transaction>
    /**
     * Claims up to `limit` due single messages, as `claim` claims deliveries. Where recipient domains are limited, it may return
     * deliveries of blasts and flows too. Otherwise `claim` returns no single messages, unless a limit holds for both.
     */
    readonly claimMessages: (
      workspace: WorkspaceId,
      options: ClaimOptions,
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, never, Transaction>
    /**
     * Ends a turn. `more`: the workspace is due again at once; otherwise when its next message is. Content that goes with the final
     * state of its message is deleted.
     */
    readonly endMessageTurn: (turn: MessageTurn, more: boolean) => Effect.Effect<void, never, Transaction>
    /** Whether a workspace has ever sent a single message. */
    readonly hasMessages: Effect.Effect<boolean>
    /** Waits until a message may have arrived. Only a hint: some arrivals wake no worker. */
    readonly messageArrival: Effect.Effect<void>
    /** Extends the leases of claimed and handed-over deliveries. Returns the number of claims that are still valid. */
    readonly renew: (
      workspace: WorkspaceId,
      claims: ReadonlyArray<Claim>,
      lease_ms: number,
    ) => Effect.Effect<number, never, Transaction>
    /**
     * Requests intents. It commits by itself, durably, and must not run inside a transaction. Only deliveries with the answer
     * `granted` may be sent, and only by the caller. Blocked deliveries have ended, paused ones are queued again. No answer for
     * an id: the claim was lost.
     */
    readonly grant: (
      workspace: WorkspaceId,
      claims: ReadonlyArray<Claim>,
      lease_ms: number,
    ) => Effect.Effect<ReadonlyMap<DeliveryId, IntentAnswer>>
    /**
     * Writes the outcomes of attempts, with the contacts' timelines and the events. May be repeated. Returns the ids whose
     * outcome was not written because their claim was lost.
     */
    readonly settle: (
      workspace: WorkspaceId,
      settlements: ReadonlyArray<Settlement>,
    ) => Effect.Effect<ReadonlyArray<DeliveryId>, never, Transaction>
    /**
     * Requeues deliveries that their living worker knows were not sent, with or without intent, without counting an attempt.
     * Returns their number.
     */
    readonly release: (
      workspace: WorkspaceId,
      claims: ReadonlyArray<Claim>,
    ) => Effect.Effect<number, never, Transaction>
    /**
     * Ends leases that ran out: claimed deliveries are queued again, handed-over ones become `unconfirmed`. Single messages that
     * have waited until their end have failed.
     */
    readonly sweep: (workspace: WorkspaceId) => Effect.Effect<Swept, never, Transaction>
    /** After a claim that returned fewer than `limit`: stores when the workspace is due next, if ever. */
    readonly endTurn: (workspace: WorkspaceId) => Effect.Effect<TurnEnd, never, Transaction>
  }
>()("tentpole/DeliveryStore") {}
