// The port to contacts and their timelines.
import { Context, type DateTime, type Effect, Schema } from "effect"
import type { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged, PageRequest } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Activity } from "./Activity.ts"
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
  /** Literal substring of a name, the email as written, the phone or the company, compared folded. */
  readonly search: string | null
  /** Exclusive. */
  readonly updatedAfter: DateTime.Utc | null
}

export interface RecordedActivity extends Activity {
  readonly id: string
}

/**
 * Somebody has taken an email or a phone of the change since it was decided. Read again and decide again, in a new
 * transaction: this one can't be committed any more.
 */
export class IdentityTaken extends Schema.TaggedError<IdentityTaken>()("IdentityTaken", {}) {}

export class ContactStore extends Context.Service<
  ContactStore,
  {
    readonly get: (workspace: WorkspaceId, id: ContactId) => Effect.Effect<Contact, NotFound>
    /** Everybody who has one of these, each once, in no order. */
    readonly findByIdentity: (workspace: WorkspaceId, identities: Identities) => Effect.Effect<ReadonlyArray<Contact>>
    /**
     * As `findByIdentity`, and contacts by id besides, locked: nobody else alters them or takes one of the identities, also
     * those that are free, before this transaction ends. Whoever decides about contacts begins with it, once, so that two
     * batches on the same people come one after the other and neither waits for the other for ever.
     */
    readonly lock: (
      workspace: WorkspaceId,
      whom: Identities & { readonly ids?: ReadonlyArray<ContactId> },
    ) => Effect.Effect<ReadonlyArray<Contact>, never, Transaction>
    /**
     * Those of these contacts that there are, locked, and what goes with them besides: until this transaction ends nobody
     * adds them to a list, and nothing is written of a message to them. Whoever decides about deleting begins with it.
     */
    readonly lockForDeletion: (
      workspace: WorkspaceId,
      ids: ReadonlyArray<ContactId>,
    ) => Effect.Effect<ReadonlyArray<Contact>, never, Transaction>
    /**
     * Writes contacts, their timelines and the events of the change. With a contact go its memberships and its timeline;
     * its messages stay, marked, and so do suppressions of its address and what imports said of it.
     */
    readonly apply: (workspace: WorkspaceId, change: ContactsChange) => Effect.Effect<void, IdentityTaken, Transaction>
    /** Text in folded code point order, null last in both orders, ties by id ascending. */
    readonly list: (workspace: WorkspaceId, query: ContactQuery) => Effect.Effect<Paged<Contact>>
    readonly count: (workspace: WorkspaceId) => Effect.Effect<number>
    /** A contact's timeline by time, and by the order of writing at the same time. */
    readonly activities: (
      workspace: WorkspaceId,
      id: ContactId,
      query: PageRequest & { readonly order: "asc" | "desc" },
    ) => Effect.Effect<Paged<RecordedActivity>, NotFound>
  }
>()("tentpole/ContactStore") {}
