// The port of operators' use cases: listings of workspaces and their settings, and the end of a workspace.
import { Context, type DateTime, type Effect } from "effect"
import type { PageDomainId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { ApiKey } from "../../workspaces/ApiKey.ts"
import type { SendingDomain } from "../../workspaces/SendingDomain.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"
import type { PageDomain, PageDomainTaken } from "../../workspaces/PageDomain.ts"

export class AdministrationStore extends Context.Service<
  AdministrationStore,
  {
    readonly workspaces: (query: SliceQuery) => Effect.Effect<Sliced<Workspace>>
    readonly keys: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<ApiKey>>
    readonly domains: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<SendingDomain>>

    readonly pageDomains: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<PageDomain>>
    /** Of two concurrent calls for one host, in any workspaces, one fails. */
    readonly addPageDomain: (
      workspace: WorkspaceId,
      domain: PageDomain,
    ) => Effect.Effect<void, PageDomainTaken, Transaction>
    readonly removePageDomain: (
      workspace: WorkspaceId,
      id: PageDomainId,
    ) => Effect.Effect<PageDomain, NotFound, Transaction>

    /**
     * Ends a workspace: it is not found any more, its keys are invalid, its hosts and its slug are free, and it sends nothing.
     * Its rows stay until they are erased.
     */
    readonly retire: (workspace: WorkspaceId, at: DateTime.Utc) => Effect.Effect<void, NotFound, Transaction>
    /**
     * Erases every row of a retired workspace, in several transactions of bounded size. It may be repeated and continues where
     * it was stopped. Only the audit log stays.
     */
    readonly erase: (workspace: WorkspaceId) => Effect.Effect<void>
  }
>()("tentpole/AdministrationStore") {}
