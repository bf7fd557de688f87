// The port to what a merge of two contacts depends on. `ContactStore.apply` writes the merge.
import { Context, type Effect } from "effect"
import type { MergePair, MergingMembership } from "../../contacts/Merge.ts"
import type { ContactId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { ImportedFile } from "../privacy/PrivacyStore.ts"

/** What becomes the target's. */
export interface MergeCounts {
  readonly activities: number
  /** Static lists that the target is not in. */
  readonly lists: number
  /** Without those of blasts that were for both contacts. */
  readonly messages: number
  readonly submissions: number
  readonly consentRecords: number
}

export interface MergeFacts {
  readonly counts: MergeCounts
  /** Live memberships of both contacts. */
  readonly live: ReadonlyArray<MergingMembership>
  /** A message to the source is claimed or handed over. */
  readonly isSending: boolean
}

export class MergeStore extends Context.Service<
  MergeStore,
  {
    readonly facts: (workspace: WorkspaceId, pair: MergePair<ContactId>) => Effect.Effect<MergeFacts>
    /**
     * Locks both contacts, the messages of the source, and the live memberships of both: until the transaction ends, no other
     * transaction writes to the contacts, and none sends a message to the source. Contacts that do not exist are left out.
     */
    readonly lock: (workspace: WorkspaceId, pair: MergePair<ContactId>) => Effect.Effect<void, never, Transaction>
    /** The files of imports that are queued or running. */
    readonly openImports: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<ImportedFile>>
  }
>()("tentpole/MergeStore") {}
