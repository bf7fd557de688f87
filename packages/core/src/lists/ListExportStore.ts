// The port to exports of lists: what is known of each, and the members that it is written from.
import { Context, type Effect, type Stream } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { ListExportId, WorkspaceId } from "../Ids.ts"
import type { NotFound } from "../Refusal.ts"
import type { Transaction } from "../Transactor.ts"
import type { ListExport, ListExportChange } from "./ListExport.ts"
import type { Audience } from "./ListStore.ts"

export class ListExportStore extends Context.Service<
  ListExportStore,
  {
    /** An export whose list there is: with its list it is lost to its readers. */
    readonly find: (workspace: WorkspaceId, id: ListExportId) => Effect.Effect<ListExport, NotFound>
    /** Whatever became of its list. Nobody else's `lock` of it returns before this transaction ends. */
    readonly lock: (workspace: WorkspaceId, id: ListExportId) => Effect.Effect<ListExport, NotFound, Transaction>
    /** False, and nothing is written, when the export is no longer in the state that was decided on. */
    readonly apply: (workspace: WorkspaceId, change: ListExportChange) => Effect.Effect<boolean, never, Transaction>
    /**
     * Whom the list holds, by id, as they are at one moment however long the reading takes; some at a time, so that memory
     * does not grow with the list. Who stops reading keeps nothing open.
     */
    readonly members: (
      workspace: WorkspaceId,
      audience: Audience,
      options: { readonly excludeUnsubscribed: boolean },
    ) => Stream.Stream<ReadonlyArray<Contact>>
  }
>()("tentpole/ListExportStore") {}
