// The port to exports and to the rows that they contain.
import { Context, type Effect, type Stream } from "effect"
import type { BlastRecipient } from "../blasts/BlastStore.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { ExportId, WorkspaceId } from "../kernel/Ids.ts"
import type { ListAudience } from "../lists/ListStore.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ConsentRecord } from "../topics/ConsentRecord.ts"
import type { BlastRecipients, ConsentRecords, Export } from "./Export.ts"
import type { ExportChange } from "./machine.ts"

/** A consent record, and the address that its contact has now. */
export interface AddressedRecord extends ConsentRecord {
  readonly email: string | null
}

export class ExportStore extends Context.Service<
  ExportStore,
  {
    /** Fails for an export whose list or blast is deleted. */
    readonly get: (workspace: WorkspaceId, id: ExportId) => Effect.Effect<Export, NotFound>
    /** Also finds an export whose list or blast is deleted. Blocks other `lock` calls for it until the transaction ends. */
    readonly lock: (workspace: WorkspaceId, id: ExportId) => Effect.Effect<Export, NotFound, Transaction>
    /** Returns false and writes nothing when the state of the export has changed since the decision. */
    readonly apply: (workspace: WorkspaceId, change: ExportChange) => Effect.Effect<boolean, never, Transaction>
    /**
     * The members of the list by id, in one consistent snapshot, in chunks of constant memory. A reader that stops closes
     * the transaction.
     */
    readonly members: (
      workspace: WorkspaceId,
      audience: ListAudience,
      options: { readonly excludeUnsubscribed: boolean },
    ) => Stream.Stream<ReadonlyArray<Contact>>
    /** The recipients of the blast in the category, by contact id; read like `members`. */
    readonly recipients: (
      workspace: WorkspaceId,
      wanted: Pick<BlastRecipients, "blastId" | "category">,
    ) => Stream.Stream<ReadonlyArray<BlastRecipient>>
    /** The consent records by id, which is the order in which they were written; read like `members`. */
    readonly consentRecords: (
      workspace: WorkspaceId,
      wanted: Pick<ConsentRecords, "topicId" | "since" | "until">,
    ) => Stream.Stream<ReadonlyArray<AddressedRecord>>
  }
>()("tentpole/ExportStore") {}
