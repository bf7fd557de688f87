// The port to webhook endpoints.
import { Context, type DateTime, type Effect } from "effect"
import type { WebhookEndpointId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { EndedHour } from "./EndedHours.ts"
import type { EndpointChange } from "./EndpointChange.ts"
import type { EndpointWithStats, WebhookEndpoint } from "./WebhookEndpoint.ts"

export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    /** Newest first. */
    readonly list: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<EndpointWithStats>>
    readonly get: (workspace: WorkspaceId, id: WebhookEndpointId) => Effect.Effect<EndpointWithStats, NotFound>
    /** The hours since then in which deliveries ended, the oldest first. */
    readonly hoursSince: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
      since: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<EndedHour>>
    /** The endpoint, locked until the transaction ends. */
    readonly lock: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
    ) => Effect.Effect<WebhookEndpoint, NotFound, Transaction>
    /** The endpoints of the workspace. Until the transaction ends, no other adds one. */
    readonly lockCount: (workspace: WorkspaceId) => Effect.Effect<number, never, Transaction>
    /**
     * Writes the endpoint and the effects of the change. A new endpoint reads the events of transactions that commit later, as
     * consumer `webhooks` of the outbox. `skipsMissed`: its position moves to the last event, and `skipMissed` skips what is
     * pending until then. Without `after` the endpoint and its reader are deleted: no call and no worker finds its deliveries
     * any more, and `deleteRows` deletes them.
     */
    readonly apply: (workspace: WorkspaceId, change: EndpointChange) => Effect.Effect<void, never, Transaction>
    /**
     * Skips (`disabled`) the next `limit` pending deliveries up to `skipsThrough`, but no tests. Returns whether there may be
     * more; if there are none, `skipsThrough` ends.
     */
    readonly skipMissed: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
      limit: number,
    ) => Effect.Effect<boolean, never, Transaction>
    /** Deletes the next rows of a deleted endpoint, about `limit` of each kind. Returns whether there may be more. */
    readonly deleteRows: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
      limit: number,
    ) => Effect.Effect<boolean, never, Transaction>
  }
>()("tentpole/EndpointStore") {}
