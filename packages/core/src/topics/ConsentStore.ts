// The port to what people chose, and to the evidence.
import { Context, type Effect } from "effect"
import type { ContactId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../kernel/Page.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ChoicesChange } from "./ChoicesChange.ts"
import type { ConsentRecord } from "./ConsentRecord.ts"
import type { TopicChoice } from "./Topic.ts"

export class ConsentStore extends Context.Service<
  ConsentStore,
  {
    /** The choices of these contacts, in no order. `topics` null: for all topics. */
    readonly choices: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<ContactId>,
      topics: ReadonlyArray<TopicId> | null,
    ) => Effect.Effect<ReadonlyArray<TopicChoice>>
    /**
     * Like `choices`, of contacts that the transaction has locked (`ContactStore.lock`): no other transaction changes their
     * choices until it ends. Topics that are named stay, too.
     */
    readonly lock: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<ContactId>,
      topics: ReadonlyArray<TopicId>,
    ) => Effect.Effect<ReadonlyArray<TopicChoice>, never, Transaction>
    /** Writes choices, their records, timelines and events, and moves the counts of the topics. */
    readonly apply: (workspace: WorkspaceId, change: ChoicesChange) => Effect.Effect<void, never, Transaction>
    /** The newest first. */
    readonly records: (
      workspace: WorkspaceId,
      contact: ContactId,
      slice: SliceQuery,
    ) => Effect.Effect<Sliced<ConsentRecord>>
  }
>()("tentpole/ConsentStore") {}
