// The port to subscription requests. A transaction that changes requests of a contact has locked the contact (`ContactStore.lock`).
import { Context, type DateTime, type Effect } from "effect"
import type { ContactId, SubscriptionRequestId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { SubscriptionChange } from "./machine.ts"
import type { RequestStatus, SubscriptionRequest } from "./SubscriptionRequest.ts"

/** The newest request first. */
export interface RequestQuery extends SliceQuery {
  /** As it is stored: a request whose time is over is pending until a worker has written it. */
  readonly status: RequestStatus | null
  readonly topicId: TopicId | null
  readonly contactId: ContactId | null
}

/** A turn of a workspace with requests. Its token grows with each turn. */
export interface ExpiryTurn {
  readonly workspace: WorkspaceId
  readonly token: string
}

export class SubscriptionStore extends Context.Service<
  SubscriptionStore,
  {
    readonly get: (workspace: WorkspaceId, id: SubscriptionRequestId) => Effect.Effect<SubscriptionRequest, NotFound>
    readonly list: (workspace: WorkspaceId, query: RequestQuery) => Effect.Effect<Sliced<SubscriptionRequest>>
    /** The request of a contact that waits, also when its time is over. */
    readonly findPending: (workspace: WorkspaceId, contact: ContactId) => Effect.Effect<SubscriptionRequest | null>
    /** When an address got confirmation mails, of any request, since a time. In no order. */
    readonly mailsTo: (
      workspace: WorkspaceId,
      emailNormalized: string,
      since: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<DateTime.Utc>>
    /** Until the transaction ends, no other one of the workspace counts requests: the limit of an hour is exact. */
    readonly lockCount: (workspace: WorkspaceId) => Effect.Effect<void, never, Transaction>
    /** When the `nth` newest request that is not confirmed was created, if that was later than `since`. */
    readonly nthUnconfirmed: (
      workspace: WorkspaceId,
      nth: number,
      since: DateTime.Utc,
    ) => Effect.Effect<DateTime.Utc | null>
    /** Writes requests, and makes workers find the workspace when they expire. */
    readonly apply: (workspace: WorkspaceId, change: SubscriptionChange) => Effect.Effect<void, never, Transaction>
    /**
     * Whether the workspace knows more of a contact than this request and what came with it: an activity, a list, a message that is
     * no confirmation mail, a flow, a choice of a topic, or a request that was confirmed.
     */
    readonly hasOtherTrace: (
      workspace: WorkspaceId,
      contact: ContactId,
      request: SubscriptionRequestId,
    ) => Effect.Effect<boolean, never, Transaction>
    /** Workspaces that may have requests to expire, the longest waiting first. No other worker gets them for `turn_ms`. */
    readonly takeTurns: (options: {
      readonly limit: number
      readonly turn_ms: number
    }) => Effect.Effect<ReadonlyArray<ExpiryTurn>, never, Transaction>
    /** Requests that wait and whose time is over by `now`, the earliest first. */
    readonly due: (
      workspace: WorkspaceId,
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<SubscriptionRequestId>>
    /** After a turn: when the workspace is looked at again. */
    readonly endTurn: (turn: ExpiryTurn) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/SubscriptionStore") {}
