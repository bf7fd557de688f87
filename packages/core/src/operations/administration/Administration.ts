// The use cases of operators that no other room has: listings, page domains, the audit log, and the end of a workspace. The
// administration API and the command line call these.
import { Context, DateTime, Effect, Layer } from "effect"
import { BlobStore, type BlobUnavailable } from "../../ports/BlobStore.ts"
import { Ids, PageDomainId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Jobs } from "../../kernel/changes/Jobs.ts"
import {
  type BrokenCursor,
  type Listed,
  listed,
  type ListedBy,
  type Sliced,
  sliceOf,
  type SliceQuery,
} from "../../kernel/Page.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { ApiKey } from "../../workspaces/ApiKey.ts"
import type { SendingDomain } from "../../workspaces/SendingDomain.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { AdministrationStore } from "./AdministrationStore.ts"
import { type AuditAction, type AuditFilter, AuditLog, type NamedAuditEntry } from "../../kernel/changes/AuditLog.ts"
import { checkPageDomain, type PageDomain, type PageDomainTaken } from "../../workspaces/PageDomain.ts"

const hostOf = (url: string): string => /^[a-z]+:\/\/([^/:]+)/i.exec(url)?.[1]?.toLowerCase() ?? ""

type Listing<A> = (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Listed<A>, BrokenCursor | NotFound>

export class Administration extends Context.Service<
  Administration,
  {
    readonly workspaces: (by: ListedBy) => Effect.Effect<Listed<Workspace>, BrokenCursor>
    readonly keys: Listing<ApiKey>
    readonly domains: Listing<SendingDomain>

    readonly pageDomains: Listing<PageDomain>
    readonly addPageDomain: (
      workspace: WorkspaceId,
      domain: string,
    ) => Effect.Effect<PageDomain, NotFound | Invalid | PageDomainTaken>
    readonly removePageDomain: (workspace: WorkspaceId, id: PageDomainId) => Effect.Effect<void, NotFound>

    readonly auditLog: (by: ListedBy & AuditFilter) => Effect.Effect<Listed<NamedAuditEntry>, BrokenCursor>

    /** Ends the workspace at once; a worker erases it. `confirm` is its slug. */
    readonly delete: (workspace: WorkspaceId, confirm: string) => Effect.Effect<void, NotFound | Invalid>
    /** For workers: erases files, rows, and files that were written meanwhile. May be repeated, and continues where it stopped. */
    readonly erase: (workspace: WorkspaceId) => Effect.Effect<void, BlobUnavailable>
  }
>()("tentpole/Administration") {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      const store = yield* AdministrationStore
      const workspaces = yield* WorkspaceStore
      const audit = yield* AuditLog
      const blobs = yield* BlobStore
      const jobs = yield* Jobs
      const ids = yield* Ids
      const { transact } = yield* Transactor
      const { pagesHost, publicApiUrl, publicPagesUrl } = yield* Settings
      const service = { pagesHost, hosts: [hostOf(publicApiUrl), hostOf(publicPagesUrl)] }

      const record = (
        workspaceId: WorkspaceId,
        action: AuditAction,
        target: string,
        details: Readonly<Record<string, unknown>>,
      ) => audit.append([{ workspaceId, action, target, details }])

      const ofWorkspace = <A>(
        list: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<A>>,
      ): Listing<A> =>
        Effect.fnUntraced(function* (workspace, by) {
          yield* workspaces.get(workspace)
          return listed(yield* list(workspace, yield* sliceOf(by)))
        })

      return Administration.of({
        workspaces: Effect.fn("Administration.workspaces")(function* (by) {
          return listed(yield* store.workspaces(yield* sliceOf(by)))
        }),
        keys: ofWorkspace(store.keys),
        domains: ofWorkspace(store.domains),
        pageDomains: ofWorkspace(store.pageDomains),

        addPageDomain: Effect.fn("Administration.addPageDomain")(function* (workspace, name) {
          const domain = yield* Effect.fromResult(checkPageDomain("domain", name, service))
          yield* workspaces.lock(workspace)
          const made: PageDomain = {
            id: PageDomainId.make(yield* ids.next),
            domain,
            createdAt: yield* DateTime.now,
          }
          yield* store.addPageDomain(workspace, made)
          yield* record(workspace, "page_domain.added", made.id, { domain })
          return made
        }, transact),

        removePageDomain: Effect.fn("Administration.removePageDomain")(function* (workspace, id) {
          yield* workspaces.lock(workspace)
          const { domain } = yield* store.removePageDomain(workspace, id)
          yield* record(workspace, "page_domain.removed", id, { domain })
        }, transact),

        auditLog: Effect.fn("Administration.auditLog")(function* (by) {
          const { cursor: _cursor, limit: _limit, ...filter } = by
          return listed(yield* audit.list({ ...filter, ...(yield* sliceOf(by)) }))
        }),

        delete: Effect.fn("Administration.delete")(function* (workspace, confirm) {
          const { slug } = yield* workspaces.lock(workspace)
          if (confirm !== slug) {
            return yield* Invalid.at("confirm", `must be the slug of the workspace, ${slug}: all of it is erased`)
          }
          yield* store.retire(workspace, yield* DateTime.now)
          yield* record(workspace, "workspace.deleted", workspace, { slug })
          yield* jobs.enqueue(
            { type: "workspace_erasure", workspaceId: workspace },
            { id: `workspace_erasure:${workspace}` },
          )
        }, transact),

        erase: Effect.fn("Administration.erase")(function* (workspace) {
          yield* blobs.deleteAllOf(workspace)
          yield* store.erase(workspace)
          // Files whose write was running when their row was deleted are written by now.
          yield* blobs.deleteAllOf(workspace)
          yield* transact(record(workspace, "workspace.erased", workspace, {}))
        }),
      })
    }),
  )
}
