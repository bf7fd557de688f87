// The port to what people chose, and to the evidence.
import { Context, type Effect } from "effect"
import type { ContactId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Brand } from "../ports/Ai.ts"
import type { ChoicesChange } from "./ChoicesChange.ts"
import type { ConsentRecord } from "./ConsentRecord.ts"
import type { ChosenTopic, TopicChoice } from "./Topic.ts"

/** What the preference page of a contact shows, with facts of other rooms. */
export interface PreferenceFacts {
  readonly email: string | null
  /** The flag of the contact. */
  readonly unsubscribed: boolean
  /** The address of the contact is suppressed, for the reason `unsubscribe`. */
  readonly addressUnsubscribed: boolean
  /** The brand of the workspace. */
  readonly brand: Brand
  /** All topics of the workspace, by position, then by folded name. */
  readonly topics: ReadonlyArray<ChosenTopic>
}

export class ConsentStore extends Context.Service<
  ConsentStore,
  {
    /** The choices of these contacts, in no order. `topics` null: for all topics. */
    readonly choices: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<ContactId>,
      topics: ReadonlyArray<TopicId> | null,
    ) => Effect.Effect<ReadonlyArray<TopicChoice>>
    /** Read by one statement. */
    readonly preferences: (workspace: WorkspaceId, contact: ContactId) => Effect.Effect<PreferenceFacts, NotFound>
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
