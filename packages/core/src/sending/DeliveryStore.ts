// The port of the sending pipeline. Rows are claimed under a lease and a token, and every later write of the holder names
// both; safety rests on state and token, clocks decide only how soon. Leases and due times are the store's own clock.
import { Context, type Effect, Schema } from "effect"
import type { FixedAudience } from "./Audience.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { FlowTokens } from "../rendering/MergeTokens.ts"
import type { ApprovalId, BlastId, DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { IntentAnswer } from "./Delivery.ts"
import type { Settlement } from "./Settlement.ts"

/** The list that a blast was to be sent to is gone. */
export class AudienceGone extends Schema.TaggedError<AudienceGone>()("AudienceGone", {}) {
  override get message(): string {
    return "The audience list of the blast was deleted"
  }
}

/** A delivery in the hands of one sender, with what its message is made of. */
export interface ClaimedDelivery {
  readonly id: DeliveryId
  readonly token: number
  /** Tries in vain before this one. */
  readonly attempts: number
  /** Its permit is for now: who can't begin within `Pace.permit_ms` gives the delivery back. */
  readonly paced: boolean
  readonly blastId: BlastId
  /** Values of `{{campaign.dynamic.<key>}}` of a flow's message; null: the message is a blast's. */
  readonly tokens: FlowTokens | null
  readonly approvalId: ApprovalId
  readonly operational: boolean
  /** As it was written when the audience was fixed; the contact may have another one since. */
  readonly address: string
  /** As it is now; null when it has been deleted: such a delivery is to be asked for, and is then blocked. */
  readonly contact: Contact | null
}

/** What names a claimed delivery and proves whose it is. */
export interface Claim {
  readonly id: DeliveryId
  readonly blastId: BlastId
  readonly token: number
}

export interface ClaimOptions {
  /** Deliveries. */
  readonly limit: number
  readonly lease_ms: number
  /** No more contacts are brought once they weigh so much; `claimed_bytes_max` if it is left out. */
  readonly bytes_max?: number
}

/** A contact may have two megabytes of values: five hundred of those would be the memory of a whole worker. */
export const claimed_bytes_max = 8_000_000

/** What is left of a workspace's queue. */
export interface Rest {
  /** No delivery of the workspace is open: its sending blasts can be finished. */
  readonly dry: boolean
}

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Writes a delivery for everyone in the blast's audience, blocked ones too, with the counts onto the blast, and makes
     * the workspace due: those among the next `contacts_max` contacts of the workspace, in the order of their ids, and
     * answers "unfinished" until the last has been looked at. So the first can be sent to while the rest are written. Done
     * once: after that it answers the same and adds nobody. Null when the blast is not sending; but a blast that ends while
     * its audience is being written gets the rest of it too.
     *
     * A contact is judged once, as it is when its slice is written, and nobody is written to an address that has a delivery
     * of the blast, whoever had it. An audience that the plan cuts (`recipients_per_blast`) is written at once.
     */
    readonly fixAudience: (
      workspace: WorkspaceId,
      blast: BlastId,
      contacts_max: number,
    ) => Effect.Effect<FixedAudience | "unfinished" | null, AudienceGone, Transaction>

    /** Workspaces that may have mail to send now, the one longest without a turn first; never those in `except`. */
    readonly dueWorkspaces: (
      limit: number,
      except?: ReadonlyArray<WorkspaceId>,
    ) => Effect.Effect<ReadonlyArray<WorkspaceId>>
    /** Workspaces with deliveries that are not at their end, due or not: those a sweep has to look at. */
    readonly openWorkspaces: (limit: number) => Effect.Effect<ReadonlyArray<WorkspaceId>>

    /**
     * Takes up to `limit` due deliveries of blasts that are sending and not paused, under a new token, and sends the
     * workspace to the end of the line. Two claimers never get the same delivery, and neither waits for the other. Where the
     * workspace or its recipients' domains have a limit, it takes what their buckets have permits for (`Pace`), all claimers
     * together, and a domain that has to wait holds up no other. A permit is used up by the claim, however it ends.
     */
    readonly claim: (
      workspace: WorkspaceId,
      options: ClaimOptions,
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, never, Transaction>
    /** Extends the leases of what is still held, claimed or handed over; answers how many those were. */
    readonly renew: (
      workspace: WorkspaceId,
      claims: ReadonlyArray<Claim>,
      lease_ms: number,
    ) => Effect.Effect<number, never, Transaction>
    /**
     * Asks leave to hand over. It commits by itself, so durably that a crash can't undo it, and is not for use inside a
     * transaction: only what it answers `granted` may be sent, by whoever asked. Blocked deliveries are at their end,
     * paused ones back in the queue. No answer for an id: the claim was lost.
     */
    readonly grant: (
      workspace: WorkspaceId,
      claims: ReadonlyArray<Claim>,
      lease_ms: number,
    ) => Effect.Effect<ReadonlyMap<DeliveryId, IntentAnswer>>
    /**
     * Writes how tries ended, with the contacts' timelines and the events. May be repeated. Answers the ids that did not
     * end up as said: their claim was lost.
     */
    readonly settle: (
      workspace: WorkspaceId,
      settlements: ReadonlyArray<Settlement>,
    ) => Effect.Effect<ReadonlyArray<DeliveryId>, never, Transaction>
    /**
     * Puts back into the queue what its living holder knows was not sent, intent or not, without counting a try. Answers
     * how many.
     */
    readonly release: (
      workspace: WorkspaceId,
      claims: ReadonlyArray<Claim>,
    ) => Effect.Effect<number, never, Transaction>
    /** Ends leases that ran out: claimed ones are queued again, handed-over ones are `unconfirmed` for good. */
    readonly sweep: (
      workspace: WorkspaceId,
    ) => Effect.Effect<{ readonly queued: number; readonly unconfirmed: number }, never, Transaction>
    /** After a claim that came back short: notes when the workspace has to be looked at next, if ever. */
    readonly rest: (workspace: WorkspaceId) => Effect.Effect<Rest, never, Transaction>
  }
>()("tentpole/DeliveryStore") {}
