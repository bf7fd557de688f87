// The port to topics.
import { Context, type Effect } from "effect"
import type { TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { TopicChange } from "./machine.ts"
import type { Topic } from "./Topic.ts"
import type { TopicUses } from "./TopicErrors.ts"

/** A topic, and the contacts whose status is `subscribed` and who are not `unsubscribed` altogether. */
export interface CountedTopic {
  readonly topic: Topic
  readonly subscribedCount: number
}

export class TopicStore extends Context.Service<
  TopicStore,
  {
    /** All topics by position, then by folded name. A workspace has few: archived ones of years, and at most 100 active ones. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<CountedTopic>>
    readonly get: (workspace: WorkspaceId, id: TopicId) => Effect.Effect<CountedTopic, NotFound>
    /** Those that exist, without counts, in no order. */
    readonly many: (workspace: WorkspaceId, ids: ReadonlyArray<TopicId>) => Effect.Effect<ReadonlyArray<Topic>>
    /** All topics, in no order. Until the transaction ends no other one creates or changes topics. */
    readonly lock: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<Topic>, never, Transaction>
    /** A topic and what uses it. Until the transaction ends no other one begins to use it. */
    readonly lockForDelete: (
      workspace: WorkspaceId,
      id: TopicId,
    ) => Effect.Effect<{ readonly topic: Topic; readonly uses: TopicUses }, NotFound, Transaction>
    /** Deleting a topic deletes what is recorded of people for it. Consent records stay. */
    readonly apply: (workspace: WorkspaceId, change: TopicChange) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/TopicStore") {}
