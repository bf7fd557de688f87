// The port to tents: pages with their generation, publication and alias.
import { Context, type Effect } from "effect"
import type { GenerationId, TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import type { Alias } from "./Alias.ts"
import type { Site } from "./pages/PageAddress.ts"
import type { Generation } from "../documents/Generation.ts"
import type { TentChange } from "./machine.ts"
import type { PublishFacts } from "./Publishing.ts"
import type { AliasTaken, PageVersion, Tent, TentStatus } from "./Tent.ts"

export interface TentQuery {
  readonly status?: TentStatus
  /** Literal text, matched anywhere in the name, case-insensitive. */
  readonly search?: string
  readonly after: Cursor | null
  readonly limit: number
}

export class TentStore extends Context.Service<
  TentStore,
  {
    readonly get: (workspace: WorkspaceId, id: TentId) => Effect.Effect<Tent, NotFound>
    /** The tent that has the alias, published or not. */
    readonly findByAlias: (workspace: WorkspaceId, alias: Alias) => Effect.Effect<Tent, NotFound>
    /** The HTML of the current version; null before the first. */
    readonly content: (workspace: WorkspaceId, id: TentId) => Effect.Effect<string | null, NotFound>
    /** The HTML of one version. */
    readonly html: (workspace: WorkspaceId, id: TentId, version: number) => Effect.Effect<string, NotFound>
    /** The newest version first. `after.id` is a version's number. */
    readonly versions: (
      workspace: WorkspaceId,
      id: TentId,
      query: Pick<TentQuery, "after" | "limit">,
    ) => Effect.Effect<Sliced<PageVersion>>
    /** A revision of this tent; another tent's is not found. */
    readonly revision: (workspace: WorkspaceId, id: TentId, of: GenerationId) => Effect.Effect<Generation, NotFound>
    readonly latestRevision: (workspace: WorkspaceId, id: TentId) => Effect.Effect<Generation | null>
    /** Newest first; tents of the same millisecond by id. */
    readonly list: (workspace: WorkspaceId, query: TentQuery) => Effect.Effect<Sliced<Tent>>
    /** The hosts of the workspace's pages. */
    readonly site: (workspace: WorkspaceId) => Effect.Effect<Site, NotFound>

    readonly lock: (workspace: WorkspaceId, id: TentId) => Effect.Effect<Tent, NotFound, Transaction>
    /** Facts for publishing this tent. Blocks other publications in the workspace until the transaction ends. */
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
