// The port to contact lists and their members.
import { Context, type DateTime, type Effect } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { contactSorts } from "../contacts/ContactStore.ts"
import type { ContactId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged, PageRequest } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { RuleReading } from "../segments/Evaluate.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type {
  CreationFacts,
  Editable,
  List,
  ListChange,
  ListKind,
  ListNameExists,
  MemberFacts,
  RemovalFacts,
} from "./List.ts"
import type { NameCandidates } from "./ListName.ts"

export interface ListQuery extends PageRequest {
  /** Literal substring of the name, compared folded. */
  readonly search: string | null
  readonly kind: ListKind | null
}

export const memberSorts = ["member_added_at", ...contactSorts] as const
export type MemberSort = (typeof memberSorts)[number]

export interface MemberQuery extends PageRequest {
  readonly sort: MemberSort
  readonly order: "asc" | "desc"
  /** Literal substring of a name or the email as written, compared folded. */
  readonly search: string | null
  /** Null: both those who unsubscribed and those who did not. */
  readonly unsubscribed: boolean | null
}

/** A list, and what its rules are read by. */
export interface ListAudience extends RuleReading {
  readonly list: List
}

export interface Member {
  readonly contact: Contact
  /** Null in lists whose members nobody added. */
  readonly addedAt: DateTime.Utc | null
}

export class ListStore extends Context.Service<
  ListStore,
  {
    /** Any list, also the inline audience of a blast. */
    readonly get: (workspace: WorkspaceId, id: ListId) => Effect.Effect<List, NotFound>
    /** Newest first; inline audiences are not among them. */
    readonly list: (workspace: WorkspaceId, query: ListQuery) => Effect.Effect<Paged<List>>
    /** Text in folded code point order, null last in both orders, ties by id ascending. */
    readonly members: (
      workspace: WorkspaceId,
      audience: ListAudience,
      query: MemberQuery,
    ) => Effect.Effect<Paged<Member>>
    /** The contacts of a static list, in no order; nobody where there is no such list. */
    readonly memberIds: (workspace: WorkspaceId, id: ListId) => Effect.Effect<ReadonlyArray<ContactId>>
    /** How many contacts the list holds now. */
    readonly countOf: (workspace: WorkspaceId, audience: ListAudience) => Effect.Effect<number>
    /**
     * What a new list depends on. The contacts stay, and so do those of the lists that its rules name, until this
     * transaction ends; nor does anybody else learn what names are free: names and slugs that were free still are. Rules
     * are parsed after this.
     */
    readonly lockForCreation: (
      workspace: WorkspaceId,
      wanted: {
        readonly candidates: NameCandidates
        readonly contactIds: ReadonlyArray<ContactId>
        readonly named: ReadonlyArray<ListId>
      },
    ) => Effect.Effect<CreationFacts, never, Transaction>
    /**
     * What an edit depends on. Nobody else changes the list until this transaction ends; what `lockForCreation` says of
     * names and of the lists that rules name holds here too.
     */
    readonly lockForUpdate: (
      workspace: WorkspaceId,
      id: ListId,
      wanted: { readonly candidates: NameCandidates | undefined; readonly named: ReadonlyArray<ListId> },
    ) => Effect.Effect<Editable, NotFound, Transaction>
    /** What a deletion depends on. Nobody begins to use the list until this transaction ends. */
    readonly lockForDelete: (workspace: WorkspaceId, id: ListId) => Effect.Effect<RemovalFacts, NotFound, Transaction>
    /** What a change of members depends on. The contacts stay, and nobody else changes the list, until this transaction ends. */
    readonly lockForMembers: (
      workspace: WorkspaceId,
      id: ListId,
      contactIds: ReadonlyArray<ContactId>,
    ) => Effect.Effect<MemberFacts, NotFound, Transaction>
    /** Writes the list, its members, their timelines and the events of the change. */
    readonly apply: (workspace: WorkspaceId, change: ListChange) => Effect.Effect<void, ListNameExists, Transaction>
  }
>()("tentpole/ListStore") {}
