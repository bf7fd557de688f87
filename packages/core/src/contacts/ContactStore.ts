// The port to contacts and their timelines.
import { Context, type DateTime, Effect, Schedule, Schema } from "effect"
import type { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged, PageRequest } from "../kernel/Page.ts"
import { type NotFound, Unavailable } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Activity, ActivityType } from "./Activity.ts"
import type { Identities } from "./batch/Batch.ts"
import type { Contact } from "./Contact.ts"
import type { ContactsChange } from "./ContactsChange.ts"

export const contactSorts = [
  "created_at",
  "updated_at",
  "last_activity_at",
  "display_name",
  "first_name",
  "last_name",
  "normalized_email",
  "original_source",
] as const
export type ContactSort = (typeof contactSorts)[number]

export interface ContactQuery extends PageRequest {
  readonly sort: ContactSort
  readonly order: "asc" | "desc"
  /** A literal substring of a name, the email as written, the phone or the company. Compared in folded form. */
  readonly search: string | null
  /** Exclusive. */
  readonly updatedAfter: DateTime.Utc | null
}

/** An entry of a timeline: a stored activity, or a time of a delivery. */
export interface RecordedActivity extends Omit<Activity, "type"> {
  readonly id: string
  readonly type: ActivityType
}

/** Another transaction took an email or phone since the decision. Read and decide again in a new transaction. */
export class IdentityTaken extends Schema.TaggedError<IdentityTaken>()("IdentityTaken", {}) {}

export class ContactStore extends Context.Service<
  ContactStore,
  {
    readonly get: (workspace: WorkspaceId, id: ContactId) => Effect.Effect<Contact, NotFound>
    /** The contacts that have one of the identities, each once, in no order. */
    readonly findByIdentity: (workspace: WorkspaceId, identities: Identities) => Effect.Effect<ReadonlyArray<Contact>>
    /**
     * Like `findByIdentity`, plus contacts by id, locked: until the transaction ends no other transaction changes them or takes
     * one of the identities, free identities included. Every decision about contacts begins with one call, so that two batches
     * with the same contacts run one after the other without a deadlock.
     */
    readonly lock: (
      workspace: WorkspaceId,
      targets: Identities & { readonly ids?: ReadonlyArray<ContactId> },
    ) => Effect.Effect<ReadonlyArray<Contact>, never, Transaction>
    /**
     * The contacts that exist, locked together with the rows that their deletion affects: until the transaction ends no other
     * transaction adds them to a list or writes one of their deliveries. Every decision to delete contacts begins with it.
     */
    readonly lockForDeletion: (
      workspace: WorkspaceId,
      ids: ReadonlyArray<ContactId>,
    ) => Effect.Effect<ReadonlyArray<Contact>, never, Transaction>
    /** Of these former ids of merged contacts: the contacts that have taken them over. Other ids are left out. */
    readonly findMerged: (
      workspace: WorkspaceId,
      ids: ReadonlyArray<ContactId>,
    ) => Effect.Effect<ReadonlyMap<ContactId, ContactId>>
    /**
     * Writes contacts, their timelines and the events of the change. Deleting a contact deletes its list memberships and its
     * timeline. Its deliveries (marked), suppressions of its address and import results stay. What a merged contact has becomes
     * its target's, but for a message of a blast that was for both: it stays and is marked, and is blocked while it is queued.
     */
    readonly apply: (workspace: WorkspaceId, change: ContactsChange) => Effect.Effect<void, IdentityTaken, Transaction>
    /** Text sorts by folded code points, null is last in both orders, ties by id ascending. */
    readonly list: (workspace: WorkspaceId, query: ContactQuery) => Effect.Effect<Paged<Contact>>
    readonly count: (workspace: WorkspaceId) => Effect.Effect<number>
    /**
     * The timeline in order of time. At the same time, the times of deliveries come first, each delivery sent before it is
     * delivered; then the others in the order of writing.
     */
    readonly activities: (
      workspace: WorkspaceId,
      id: ContactId,
      query: PageRequest & { readonly order: "asc" | "desc" },
    ) => Effect.Effect<Paged<RecordedActivity>, NotFound>
  }
>()("tentpole/ContactStore") {}

/** Attempts before the error becomes `Unavailable` (503). */
const attempts_max = 4

/** Runs `body` again after `IdentityTaken`. `body` includes `transact`, so that each attempt has a new transaction. */
export const retryOnIdentityConflict = <A, E, R>(
  body: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, IdentityTaken>, R> =>
  body.pipe(
    Effect.retry({
      schedule: Schedule.jittered(Schedule.exponential("10 millis")),
      times: attempts_max - 1,
      while: (error) => error instanceof IdentityTaken,
    }),
    Effect.catch((error) =>
      error instanceof IdentityTaken
        ? Effect.die(new Unavailable({ part: "database" }))
        : Effect.fail(error as Exclude<E, IdentityTaken>),
    ),
  )
