// The port to what an audit of a blast looks at: counts of its recipients, and those of them that must not be.
import { Context, type DateTime, type Effect } from "effect"
import type { BlockReason, DeliveryState, DeliveryTally, FailureReason } from "../../sending/Delivery.ts"
import type { BlastId, DeliveryId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { BlastStatus } from "../Blast.ts"

/** How many ids of each finding are told, by id ascending. */
export const samples_max = 10

/** What must not be, and is looked for: each names deliveries of the blast. */
export const auditFindings = [
  /** Their contact has another delivery that goes before them, by id. */
  "contact_again",
  /** Not blocked, and neither is another one to the same address that goes before them, by id. */
  "address_again",
  /** Sent, and no intent was ever written. */
  "sent_without_intent",
  /** Sent, without a reply of the mail server and without anything later that shows it: a bounce, a report, a visit. */
  "sent_without_evidence",
  /** Queued, claimed or handed over. */
  "open",
  /** Sent, of a contact that is there, whose timeline does not say so. */
  "timeline_silent",
  /** Timelines say that they were sent more than once, or that they were sent and they were not, or are not of the blast. */
  "timeline_wrong",
  /** As `timeline_wrong`, of the events that are still kept. */
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

/** What is known of a blast, all of one moment. */
export interface BlastEvidence {
  readonly status: BlastStatus
  /** Whom the audience held when it was fixed; null before. */
  readonly recipientCount: number | null
  /** By state, then by reason. */
  readonly recipients: ReadonlyArray<StateCount>
  /** The counters that are kept. */
  readonly tally: DeliveryTally
  /** The same, counted anew. */
  readonly recount: DeliveryTally
  /** The first `samples_max` by id, with the time of their intent. */
  readonly unconfirmed: ReadonlyArray<{ readonly id: DeliveryId; readonly handedOverAt: DateTime.Utc | null }>
  readonly found: { readonly [Finding in AuditFinding]: Found }
}

export class BlastAuditStore extends Context.Service<
  BlastAuditStore,
  {
    /** Reads every delivery of the blast, in memory that does not grow with them. */
    readonly evidence: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<BlastEvidence, NotFound>
  }
>()("tentpole/AuditStore") {}
