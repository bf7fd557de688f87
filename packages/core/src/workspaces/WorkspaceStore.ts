// The port to workspaces, their keys and their sending domains.
import { Context, type DateTime, type Effect } from "effect"
import type { ApiKeyId, DomainId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { SendingDomain } from "./SendingDomain.ts"
import type { Plan, SlugTaken, Workspace, WorkspaceChange } from "./Workspace.ts"

export interface OverviewFacts {
  readonly plan: Plan
  /** The workspace's first own domain for pages; null: it has none. */
  readonly pageDomain: string | null
}

export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  {
    readonly get: (id: WorkspaceId) => Effect.Effect<Workspace, NotFound>
    readonly findBySlug: (slug: string) => Effect.Effect<Workspace, NotFound>
    /** The oldest workspace. */
    readonly findFirst: Effect.Effect<Workspace | null>
    readonly overviewFacts: (id: WorkspaceId) => Effect.Effect<OverviewFacts, NotFound>
    readonly lock: (id: WorkspaceId) => Effect.Effect<Workspace, NotFound, Transaction>
    /** Writes the change; a new workspace includes its two system lists. */
    readonly apply: (change: WorkspaceChange) => Effect.Effect<void, SlugTaken, Transaction>
    /** The live key (`isLive`) with this hash. Expired, revoked and unknown keys are not found in the same time. */
    readonly findKey: (
      hash: Uint8Array,
      at: DateTime.Utc,
    ) => Effect.Effect<{ readonly key: ApiKey; readonly workspace: Workspace }, NotFound>
    readonly addKey: (key: ApiKey) => Effect.Effect<void, never, Transaction>
    readonly revokeKey: (id: WorkspaceId, key: ApiKeyId, at: DateTime.Utc) => Effect.Effect<void, NotFound, Transaction>
    /** Records the last use of a key, at most once a minute. */
    readonly touchKey: (id: WorkspaceId, key: ApiKeyId, at: DateTime.Utc) => Effect.Effect<void, never, Transaction>

    readonly domains: (id: WorkspaceId) => Effect.Effect<ReadonlyArray<SendingDomain>>
    /** Adds a domain, or replaces the one with the same id. No other method changes its status. */
    readonly putDomain: (id: WorkspaceId, domain: SendingDomain) => Effect.Effect<void, never, Transaction>
    readonly removeDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<void, NotFound, Transaction>
  }
>()("tentpole/WorkspaceStore") {}
