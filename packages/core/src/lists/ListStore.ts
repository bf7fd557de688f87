// The port to contact lists and their members.
import { Context, type DateTime, type Effect } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { contactSorts } from "../contacts/ContactStore.ts"
import type { ContactId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged, PageRequest } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { RuleContext } from "../segments/Evaluate.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ListUses } from "./ListUse.ts"
import type {
  CreationFacts,
  DynamicList,
  ListForUpdate,
  List,
  ListChange,
  ListKind,
  ListNameExists,
  MemberFacts,
  DeletionFacts,
  StaticList,
} from "./List.ts"
import type { NameCandidates } from "./ListName.ts"

export interface ListQuery extends PageRequest {
  /** A literal substring of the name, compared in folded form. */
  readonly search: string | null
  readonly kind: ListKind | null
}

export const memberSorts = ["member_added_at", ...contactSorts] as const
export type MemberSort = (typeof memberSorts)[number]

export interface MemberQuery extends PageRequest {
  readonly sort: MemberSort
  readonly order: "asc" | "desc"
  /** A literal substring of a name or of the email as written, compared in folded form. */
  readonly search: string | null
  /** Null: no filter. */
  readonly unsubscribed: boolean | null
}

/** A list, and the context that its rules are evaluated in. */
export interface ListAudience extends RuleContext {
  readonly list: List
}

export interface Member {
  readonly contact: Contact
  /** Null in system and dynamic lists. */
  readonly addedAt: DateTime.Utc | null
}

/** A list of a contact. */
export interface JoinedList {
  readonly list: StaticList
  readonly addedAt: DateTime.Utc
}

export class ListStore extends Context.Service<
  ListStore,
  {
    /** Any list, the inline audience of a blast included. */
    readonly get: (workspace: WorkspaceId, id: ListId) => Effect.Effect<List, NotFound>
    /** Newest first, without inline audiences. */
    readonly list: (workspace: WorkspaceId, query: ListQuery) => Effect.Effect<Paged<List>>
    /** Text sorts by folded code points, null is last in both orders, ties by id ascending. */
    readonly members: (
      workspace: WorkspaceId,
      audience: ListAudience,
      query: MemberQuery,
    ) => Effect.Effect<Paged<Member>>
    /** The static lists of a contact, those it joined last first, ties by id; without inline audiences. */
    readonly listsOf: (
      workspace: WorkspaceId,
      contact: ContactId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<JoinedList>>
    /** Dynamic lists with rules after this id, by id; without inline audiences. */
    readonly dynamicLists: (
      workspace: WorkspaceId,
      query: { readonly after: ListId | null; readonly limit: number },
    ) => Effect.Effect<ReadonlyArray<DynamicList>>
    /** What uses the list now. */
    readonly uses: (workspace: WorkspaceId, id: ListId) => Effect.Effect<ListUses>
    /** The contacts of a static list, in no order; empty if there is no such list. */
    readonly memberIds: (workspace: WorkspaceId, id: ListId) => Effect.Effect<ReadonlyArray<ContactId>>
    readonly countMembers: (workspace: WorkspaceId, audience: ListAudience) => Effect.Effect<number>
    /**
     * The facts of a creation. Until the transaction ends, the contacts and the lists that the rules name are not deleted, and
     * free names and slugs stay free: other callers of this method wait. Parse rules after this call.
     */
    readonly lockForCreation: (
      workspace: WorkspaceId,
      wanted: {
        readonly candidates: NameCandidates
        readonly contactIds: ReadonlyArray<ContactId>
        readonly named: ReadonlyArray<ListId>
      },
    ) => Effect.Effect<CreationFacts, never, Transaction>
    /** The facts of an update. Locks the list; names and the lists that the rules name as in `lockForCreation`. */
    readonly lockForUpdate: (
      workspace: WorkspaceId,
      id: ListId,
      wanted: { readonly candidates: NameCandidates | undefined; readonly named: ReadonlyArray<ListId> },
    ) => Effect.Effect<ListForUpdate, NotFound, Transaction>
    /** The facts of a deletion. No other transaction begins to use the list until this one ends. */
    readonly lockForDelete: (workspace: WorkspaceId, id: ListId) => Effect.Effect<DeletionFacts, NotFound, Transaction>
    /** The facts of a change of members. Until the transaction ends no other one deletes the contacts or changes the list. */
    readonly lockForMembers: (
      workspace: WorkspaceId,
      id: ListId,
      contactIds: ReadonlyArray<ContactId>,
    ) => Effect.Effect<MemberFacts, NotFound, Transaction>
    /** Writes the list, its members, their timelines and the events of the change. */
    readonly apply: (workspace: WorkspaceId, change: ListChange) => Effect.Effect<void, ListNameExists, Transaction>
  }
>()("tentpole/ListStore") {}
