// The port to exports: what is known of each, and the rows that they are written from.
import { Context, type Effect, type Stream } from "effect"
import type { BlastRecipient } from "../blasts/BlastStore.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { ExportId, WorkspaceId } from "../kernel/Ids.ts"
import type { ListAudience } from "../lists/ListStore.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { BlastRecipients, Export } from "./Export.ts"
import type { ExportChange } from "./machine.ts"

export class ExportStore extends Context.Service<
  ExportStore,
  {
    /** An export whose list or blast there is: with it, it is lost to its readers. */
    readonly get: (workspace: WorkspaceId, id: ExportId) => Effect.Effect<Export, NotFound>
    /** Whatever became of its list or blast. Nobody else's `lock` of it returns before this transaction ends. */
    readonly lock: (workspace: WorkspaceId, id: ExportId) => Effect.Effect<Export, NotFound, Transaction>
    /** False, and nothing is written, when the export is no longer in the state that was decided on. */
    readonly apply: (workspace: WorkspaceId, change: ExportChange) => Effect.Effect<boolean, never, Transaction>
    /**
     * Whom the list holds, by id, as they are at one moment however long the reading takes; some at a time, so that memory
     * does not grow with the list. Who stops reading keeps nothing open.
     */
    readonly members: (
      workspace: WorkspaceId,
      audience: ListAudience,
      options: { readonly excludeUnsubscribed: boolean },
    ) => Stream.Stream<ReadonlyArray<Contact>>
    /** The recipients of a blast that are in the category, by their contacts' ids; read as `members` are. */
    readonly recipients: (
      workspace: WorkspaceId,
      wanted: Pick<BlastRecipients, "blastId" | "category">,
    ) => Stream.Stream<ReadonlyArray<BlastRecipient>>
  }
>()("tentpole/ExportStore") {}
