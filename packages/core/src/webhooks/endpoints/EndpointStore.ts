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
     * consumer `webhooks` of the outbox. `skipsMissed`: its position moves to the last event, and pending deliveries are skipped
     * (`disabled`). Without `after` everything of the endpoint is deleted.
     */
    readonly apply: (workspace: WorkspaceId, change: EndpointChange) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/EndpointStore") {}
