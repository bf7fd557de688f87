// The port to blasts. Reads answer a blast with what stands beside it (its list, its email, its counters); a launch asks one
// question for everything that it depends on.
import { Context, type DateTime, type Effect } from "effect"
import type { DeliveryTally } from "../sending/Delivery.ts"
import type { BlastId, ContactId, DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { ListNameExists } from "../lists/List.ts"
import type { Paged, PageRequest } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Blast, BlastStatus, EarlyEnding, RetryOptions } from "./Blast.ts"
import type { LaunchFacts } from "./Launch.ts"
import type { BlastChange } from "./machine.ts"
import type { ReadinessFacts } from "./Readiness.ts"

export interface StoredBlast {
  readonly blast: Blast
  readonly facts: ReadinessFacts
  readonly tally: DeliveryTally
}

export const blastSorts = ["updated_at", "created_at", "name", "scheduled_at"] as const
export type BlastSort = (typeof blastSorts)[number]
export type SortOrder = "asc" | "desc"

export interface BlastQuery extends PageRequest {
  /** `any` shows archived ones too; null shows all but them. */
  readonly status: BlastStatus | "any" | null
  /** In the name. Empty: everything. */
  readonly search: string
  readonly sortBy: BlastSort
  readonly sortOrder: SortOrder
}

export const recipientCategories = [
  "recipients",
  "sent",
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
  /** In the name. Empty: everybody. */
  readonly search: string
  readonly sort: RecipientSort
  readonly order: SortOrder
}

/** `queued` as long as it is open, also while it is being sent. */
export type RecipientStatus = "queued" | "sent" | "failed" | "blocked"

export interface BlastRecipient {
  readonly id: DeliveryId
  readonly contactId: ContactId
  readonly displayName: string | null
  readonly email: string | null
  readonly contactDeleted: boolean
  readonly status: RecipientStatus
  readonly reason: string | null
  readonly sentAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
  readonly openedAt: DateTime.Utc | null
  readonly clickedAt: DateTime.Utc | null
  readonly clickedUrl: string | null
  readonly bouncedAt: DateTime.Utc | null
  readonly unsubscribedAt: DateTime.Utc | null
  readonly complainedAt: DateTime.Utc | null
}

export class BlastStore extends Context.Service<
  BlastStore,
  {
    readonly get: (ws: WorkspaceId, id: BlastId, now: DateTime.Utc) => Effect.Effect<StoredBlast, NotFound>
    /** Ties by id. Names by their folded form, blasts without a time last. */
    readonly list: (ws: WorkspaceId, query: BlastQuery, now: DateTime.Utc) => Effect.Effect<Paged<StoredBlast>>
    /** Holds the blast until the transaction ends. */
    readonly lock: (ws: WorkspaceId, id: BlastId) => Effect.Effect<Blast, NotFound, Transaction>
    /**
     * As `lock`, and besides holds off the granting of intents: those granted before are committed, and until this
     * transaction ends no other is. What it decides therefore binds every mail that goes out after it.
     */
    readonly lockAgainstIntents: (ws: WorkspaceId, id: BlastId) => Effect.Effect<Blast, NotFound, Transaction>
    /**
     * As `lock`, with everything that a launch depends on, as it is once the lock is held. On a plan with limits the day's
     * allotment is held too: of two blasts that want the last of it, the second counts the first.
     */
    readonly lockForLaunch: (
      ws: WorkspaceId,
      id: BlastId,
      options: {
        readonly now: DateTime.Utc
        /** How it is to be sent: whom it qualifies depends on it. Left out: as the blast says. */
        readonly operational?: boolean
      },
    ) => Effect.Effect<{ readonly blast: Blast; readonly facts: LaunchFacts }, NotFound, Transaction>
    /**
     * Writes the blast, the changes it carries, and its events, audit entries and jobs. A blast that is no longer what the change was decided
     * on is a defect: whoever decides, locks first.
     */
    readonly apply: (ws: WorkspaceId, change: BlastChange) => Effect.Effect<void, ListNameExists, Transaction>
    /**
     * Ends up to `limit` recipients of a blast that were not handed over; answers how many. Those that a sender is taking
     * at this moment are left for the next time, those that were handed over end by their settling.
     */
    readonly endOpen: (
      ws: WorkspaceId,
      id: BlastId,
      ending: EarlyEnding,
      limit: number,
    ) => Effect.Effect<number, never, Transaction>
    /**
     * Puts up to `limit` recipients that failed back into the queue, as a retry does, and makes the workspace due. By the
     * order of their contacts, those behind `after`; answers the last of them, null when there was none left.
     */
    readonly requeue: (
      ws: WorkspaceId,
      id: BlastId,
      options: RetryOptions & { readonly after: ContactId | null; readonly limit: number },
    ) => Effect.Effect<ContactId | null, never, Transaction>
    /** Blasts being sent, none of them being retried, whose audience is fixed and which have no open recipient: locked, at most `limit`. */
    readonly lockFinished: (ws: WorkspaceId, limit: number) => Effect.Effect<ReadonlyArray<Blast>, never, Transaction>
    /** What is over, blasts and the steps of flows, but has open recipients, and how these end: at most `limit`. */
    readonly endedWithOpen: (
      ws: WorkspaceId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<{ readonly id: BlastId; readonly ending: EarlyEnding }>>
    /** Contacts without the event that is sorted by come last; ties by id. */
    readonly recipients: (
      ws: WorkspaceId,
      id: BlastId,
      query: RecipientQuery,
    ) => Effect.Effect<Paged<BlastRecipient>, NotFound>
  }
>()("tentpole/BlastStore") {}
