// The port to tents: pages with their generation, publication and alias.
import { Context, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import type { Alias } from "./Alias.ts"
import type { Site } from "./pages/PageAddress.ts"
import type { PublishFacts } from "./pages/Publish.ts"
import type { AliasTaken, Tent, TentStatus } from "./Tent.ts"
import type { TentChange } from "./machine.ts"

export interface TentQuery {
  readonly status?: TentStatus
  /** Literal, found anywhere in the name, in any case. */
  readonly search?: string
  readonly after: Cursor | null
  readonly limit: number
}

export class TentStore extends Context.Service<
  TentStore,
  {
    readonly get: (workspace: WorkspaceId, id: TentId) => Effect.Effect<Tent, NotFound>
    /** The tent whose alias it is, published or not. */
    readonly findByAlias: (workspace: WorkspaceId, alias: Alias) => Effect.Effect<Tent, NotFound>
    /** The generated document; null before there is one. */
    readonly content: (workspace: WorkspaceId, id: TentId) => Effect.Effect<string | null, NotFound>
    /** Newest first; of those made in the same millisecond, by id. */
    readonly list: (workspace: WorkspaceId, query: TentQuery) => Effect.Effect<Sliced<Tent>>
    /** Where the workspace's pages live. */
    readonly site: (workspace: WorkspaceId) => Effect.Effect<Site, NotFound>

    readonly lock: (workspace: WorkspaceId, id: TentId) => Effect.Effect<Tent, NotFound, Transaction>
    /** Facts for publishing this tent, perhaps under an alias. Until the transaction ends nobody else publishes here. */
    readonly lockPublishing: (
      workspace: WorkspaceId,
      id: TentId,
      alias: Alias | null,
    ) => Effect.Effect<PublishFacts, NotFound, Transaction>
    readonly apply: (
      workspace: WorkspaceId,
      change: TentChange,
    ) => Effect.Effect<void, AliasTaken | InsufficientCredits, Transaction>
  }
>()("tentpole/TentStore") {}
