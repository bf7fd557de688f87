// The port to blasts, and the view of what it returns. Reads return a blast with its list, its email and its counters. A
// launch reads everything that it depends on in one query.
import { Context, type DateTime, Effect } from "effect"
import type { DeliveryProgress, DeliveryTally } from "../sending/Delivery.ts"
import type { BlastId, ContactId, DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { HeaderName } from "../documents/EmailFields.ts"
import type { ListNameExists } from "../lists/List.ts"
import type { Paged, PageRequest } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Blast, BlastStatus, EarlyEndReason, RetryOptions } from "./Blast.ts"
import { type Pace, type PaceFacts, paceOf } from "./figures/Pace.ts"
import { type BlastChange, type BlastEvent, decide } from "./machine.ts"
import {
  emailChanges,
  type LaunchFacts,
  type Readiness,
  readiness,
  type ReadinessFacts,
  type SummaryFacts,
} from "./Readiness.ts"

/** A blast as a listing reads it. */
export interface ListedBlast {
  readonly blast: Blast
  readonly facts: SummaryFacts
  readonly tally: DeliveryTally
  /** Null unless the blast is sending. */
  readonly paceFacts: PaceFacts | null
}

export interface StoredBlast extends ListedBlast {
  readonly facts: ReadinessFacts
}

/** A blast with its current list and email, its counters and pace, and the readiness of a draft. */
export interface BlastView {
  readonly blast: Blast
  readonly list: SummaryFacts["list"]
  readonly email: SummaryFacts["email"]
  readonly approvedHeader: SummaryFacts["approvedHeader"]
  readonly changedSinceApproval: ReadonlyArray<HeaderName>
  readonly tally: DeliveryTally
  readonly pace: Pace
  /** Null unless the blast is a draft, and in listings. */
  readonly readiness: Readiness | null
}

export const toListedView = ({ blast, facts, paceFacts, tally }: ListedBlast): BlastView => ({
  blast,
  list: facts.list,
  email: facts.email,
  approvedHeader: facts.approvedHeader,
  changedSinceApproval: emailChanges(facts),
  tally,
  pace: paceOf(blast, tally, paceFacts),
  readiness: null,
})

export const toBlastView = (stored: StoredBlast): BlastView => ({
  ...toListedView(stored),
  readiness: stored.blast.status === "draft" ? readiness(stored.blast, stored.facts) : null,
})

export const blastSorts = ["updated_at", "created_at", "name", "scheduled_at"] as const
export type BlastSort = (typeof blastSorts)[number]
export type SortOrder = "asc" | "desc"

export interface BlastQuery extends PageRequest {
  /** `any` includes archived blasts; null excludes them. */
  readonly status: BlastStatus | "any" | null
  /** Matches in the name. Empty: no filter. */
  readonly search: string
  readonly sortBy: BlastSort
  readonly sortOrder: SortOrder
}

/** Those of the same name in `DeliveryTally` are its counts. `failed` includes `unconfirmed`, `queued` includes `deferred`. */
export const recipientCategories = [
  "recipients",
  "queued",
  "deferred",
  "sent",
  "failed",
  "unconfirmed",
  "blocked",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "unsubscribed",
  "spam",
] as const
export type RecipientCategory = (typeof recipientCategories)[number]

export const recipientSorts = [
  "display_name",
  "email",
  "created_at",
  "sent_at",
  "delivered_at",
  "opened_at",
  "clicked_at",
  "bounced_at",
  "unsubscribed_at",
  "complained_at",
] as const
export type RecipientSort = (typeof recipientSorts)[number]

export interface RecipientQuery extends PageRequest {
  readonly category: RecipientCategory
  /** Of the address, lower case. `unknown`: without an address. Null: no filter. */
  readonly domain: string | null
  /** Why it failed or was blocked. */
  readonly reason: string | null
  /** Only recipients that clicked this link. */
  readonly link: number | null
  /** Matches in the name. Empty: no filter. */
  readonly search: string
  readonly sort: RecipientSort
  readonly order: SortOrder
}

/** `queued` while the recipient is open, also while its message is being sent. */
export type RecipientStatus = "queued" | "sent" | "failed" | "blocked"

export interface BlastRecipient extends DeliveryProgress {
  readonly id: DeliveryId
  readonly contactId: ContactId
  readonly displayName: string | null
  readonly email: string | null
  readonly contactDeleted: boolean
  readonly status: RecipientStatus
  readonly reason: string | null
}

export class BlastStore extends Context.Service<
  BlastStore,
  {
    readonly get: (workspace: WorkspaceId, id: BlastId, now: DateTime.Utc) => Effect.Effect<StoredBlast, NotFound>
    /** Ties are ordered by id, names by their folded form. Blasts without a time come last. */
    readonly list: (workspace: WorkspaceId, query: BlastQuery, now: DateTime.Utc) => Effect.Effect<Paged<ListedBlast>>
    /** Locks the blast until the transaction ends. */
    readonly lock: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<Blast, NotFound, Transaction>
    /**
     * Like `lock`, and also blocks the granting of intents: those granted before are committed, and no other is granted until
     * this transaction ends. So its decision applies to every message that goes out after it.
     */
    readonly lockAgainstIntents: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<Blast, NotFound, Transaction>
    /**
     * Like `lock`, with everything that a launch depends on, read under the lock. On a plan with limits it also locks the
     * day's allotment: of two blasts that need the rest of it, the second counts the first.
     */
    readonly lockForLaunch: (
      workspace: WorkspaceId,
      id: BlastId,
      options: {
        readonly now: DateTime.Utc
        /** How it is to be sent: the recipients depend on it. Defaults to the blast's setting. */
        readonly operational?: boolean
      },
    ) => Effect.Effect<{ readonly blast: Blast; readonly facts: LaunchFacts }, NotFound, Transaction>
    /** Writes all parts. Callers lock the blast first: a blast that differs from the change's `before` is a defect. */
    readonly apply: (workspace: WorkspaceId, change: BlastChange) => Effect.Effect<void, ListNameExists, Transaction>
    /**
     * Ends up to `limit` recipients of a blast whose messages were not handed over. Returns their number. It skips those that a
     * worker locks at this moment; the next call ends them. Messages that were handed over end with their settlement.
     */
    readonly endOpen: (
      workspace: WorkspaceId,
      id: BlastId,
      ending: EarlyEndReason,
      limit: number,
    ) => Effect.Effect<number, never, Transaction>
    /**
     * Requeues up to `limit` failed recipients of a retry and makes the workspace due. It continues after the contact `after`,
     * in the order of contact ids. Returns the last contact, or null when there was none left.
     */
    readonly requeue: (
      workspace: WorkspaceId,
      id: BlastId,
      options: RetryOptions & { readonly after: ContactId | null; readonly limit: number },
    ) => Effect.Effect<ContactId | null, never, Transaction>
    /** Locks up to `limit` blasts that are sending, not being retried, have a fixed audience and no open recipient. */
    readonly lockFinished: (
      workspace: WorkspaceId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Blast>, never, Transaction>
    /** Up to `limit` blasts and flow steps that have ended but have open recipients, and how these end. */
    readonly endedWithOpen: (
      workspace: WorkspaceId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<{ readonly id: BlastId; readonly ending: EarlyEndReason }>>
    /** Contacts without the event that is sorted by come last. Ties are ordered by id. */
    readonly recipients: (
      workspace: WorkspaceId,
      id: BlastId,
      query: RecipientQuery,
    ) => Effect.Effect<Paged<BlastRecipient>, NotFound>
  }
>()("tentpole/BlastStore") {}

/** Decides an event and writes its change, which it returns. For events that create no list: no list name can be taken. */
export const applyEvent = <T extends Exclude<BlastEvent["_tag"], "setAudience">>(
  store: BlastStore["Service"],
  workspace: WorkspaceId,
  blast: Blast,
  event: BlastEvent<T>,
  now: DateTime.Utc,
) =>
  Effect.tap(Effect.fromResult(decide(blast, event, now)), (change) =>
    Effect.catchTag(store.apply(workspace, change), "ListNameExists", Effect.die),
  )
