// The port of blast audits: counts of a blast's recipients, and the deliveries that break a rule.
import { Context, type DateTime, type Effect } from "effect"
import type { BlockReason, DeliveryState, DeliveryTally, FailureReason } from "../../sending/Delivery.ts"
import type { BlastId, DeliveryId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { BlastStatus } from "../Blast.ts"

/** How many ids of each finding are returned, ascending. */
export const samples_max = 10

/** The violations that an audit looks for. Each finding names deliveries of the blast. */
export const auditFindings = [
  /** Their contact has another delivery with a smaller id. */
  "contact_again",
  /** Not blocked, and another unblocked delivery to the same address has a smaller id. */
  "address_again",
  /** Sent, and no intent was ever written. */
  "sent_without_intent",
  /** Sent, without a reply of the mail server and without later evidence: a bounce, a report, an open or a click. */
  "sent_without_evidence",
  /** Queued, claimed or handed over. */
  "open",
  /** Stored events that say "sent" twice, or of a message that was not sent, or of a delivery of another blast. */
  "events_wrong",
] as const
export type AuditFinding = (typeof auditFindings)[number]

export interface Found {
  readonly count: number
  /** The first `samples_max` by id. */
  readonly samples: ReadonlyArray<DeliveryId>
}

export interface StateCount {
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  readonly count: number
}

/** The data of an audit, read in one snapshot. */
export interface BlastEvidence {
  readonly status: BlastStatus
  /** The size of the audience when it was fixed; null before. */
  readonly recipientCount: number | null
  /** Launched so long ago that its deliveries may have been deleted by age. */
  readonly mayBeDeleted: boolean
  /** By state, then by reason. */
  readonly recipients: ReadonlyArray<StateCount>
  readonly tally: DeliveryTally
  /** The same counters, counted from the deliveries. */
  readonly recount: DeliveryTally
  /** The first `samples_max` by id, with the time of their intent. */
  readonly unconfirmed: ReadonlyArray<{ readonly id: DeliveryId; readonly handedOverAt: DateTime.Utc | null }>
  readonly found: { readonly [Finding in AuditFinding]: Found }
}

export class BlastAuditStore extends Context.Service<
  BlastAuditStore,
  {
    /** Reads every delivery of the blast. Its memory does not grow with their number. */
    readonly evidence: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<BlastEvidence, NotFound>
  }
>()("tentpole/BlastAuditStore") {}
