// Use cases of the versions of a tent's page. The API calls all but the last two, which the worker calls.
import { Context, DateTime, Effect, Layer } from "effect"
import type { GenerationInProgress, HtmlTooLarge } from "../documents/DocumentErrors.ts"
import { checkPrompt, type Generation } from "../documents/Generation.ts"
import { versionId } from "../documents/Versions.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { GenerationId, Ids, type TentId, type WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced } from "../kernel/Page.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { Settings } from "../kernel/Settings.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { TentChange } from "./machine.ts"
import { liveVersionOf, type NewVersion, type PageVersion, type Tent, type TentNotReady } from "./Tent.ts"
import { storablePage } from "./TentGeneration.ts"
import { tentRevisions } from "./TentRevisions.ts"
import { type TentView, tentViews } from "./Tents.ts"
import { TentStore } from "./TentStore.ts"

export interface ListedVersion extends PageVersion {
  /** Whether visitors see this version. */
  readonly live: boolean
}

type Author = Pick<NewVersion, "byName">

export class TentVersions extends Context.Service<
  TentVersions,
  {
    /** Newest first. */
    readonly list: (
      workspace: WorkspaceId,
      id: TentId,
      by: { readonly cursor?: string; readonly limit?: number },
    ) => Effect.Effect<Sliced<ListedVersion>, NotFound | BrokenCursor>
    /** A new version. The published page does not change. */
    readonly setContent: (
      workspace: WorkspaceId,
      id: TentId,
      content: Author & { readonly html: string },
    ) => Effect.Effect<TentView, NotFound | Invalid | HtmlTooLarge | GenerationInProgress>
    /** A new version with the HTML of an earlier one. Changes nothing if that is the current version. */
    readonly restore: (
      workspace: WorkspaceId,
      id: TentId,
      from: Author & { readonly version: number },
    ) => Effect.Effect<TentView, NotFound | GenerationInProgress>
    /** Requests the next version from the AI. Takes a credit. */
    readonly startRevision: (
      workspace: WorkspaceId,
      id: TentId,
      request: { readonly instruction: string; readonly createdByName: string },
    ) => Effect.Effect<Generation, NotFound | Invalid | TentNotReady | GenerationInProgress | InsufficientCredits>
    readonly revision: (workspace: WorkspaceId, id: TentId, of: GenerationId) => Effect.Effect<Generation, NotFound>
    /** For workers: writes the version. Two may run the same revision: the first outcome counts. */
    readonly runGeneration: (workspace: WorkspaceId, id: TentId, of: GenerationId) => Effect.Effect<void>
    /** For workers, after the last attempt: fails the revision and returns its credit. */
    readonly abandonGeneration: (workspace: WorkspaceId, id: TentId, of: GenerationId) => Effect.Effect<void>
  }
>()("tentpole/TentVersions") {
  static readonly layer = Layer.effect(
    TentVersions,
    Effect.gen(function* () {
      const store = yield* TentStore
      const settings = yield* Settings
      const toViews = tentViews(settings, store)
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const storableHtml = yield* storablePage
      const revisions = yield* tentRevisions

      const view = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: Tent) {
        const [one] = yield* toViews(workspace, [tent])
        return one ?? { tent, url: null }
      })

      /** Writes the version and returns the tent. */
      const write = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: Tent, version: NewVersion) {
        const change = yield* Effect.fromResult(TentChange.write(tent, version, yield* DateTime.now))
        // A version takes no credits and no alias.
        yield* store
          .apply(workspace, change)
          .pipe(Effect.catchTags({ AliasTaken: Effect.die, InsufficientCredits: Effect.die }))
        return change.after
      })

      return TentVersions.of({
        list: Effect.fn("TentVersions.list")(function* (workspace, id, { cursor, limit = page_limit_default }) {
          const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor, versionId))
          const live = liveVersionOf(yield* store.get(workspace, id))
          const { items, next } = yield* store.versions(workspace, id, { after, limit })
          return { items: items.map((item) => ({ ...item, live: item.version === live })), next }
        }),

        setContent: Effect.fn("TentVersions.setContent")(function* (workspace, id, { html, byName }) {
          const version = { html: yield* storableHtml(html, workspace), madeBy: "upload", byName } as const
          const locked = Effect.flatMap(store.lock(workspace, id), (tent) => write(workspace, tent, version))
          return yield* view(workspace, yield* transact(locked))
        }),

        restore: Effect.fn("TentVersions.restore")(function* (workspace, id, { version, byName }) {
          const restored = Effect.gen(function* () {
            const tent = yield* store.lock(workspace, id)
            const html = yield* store.html(workspace, id, version)
            if (version === tent.currentVersion) return tent
            return yield* write(workspace, tent, { html, madeBy: "upload", byName })
          })
          return yield* view(workspace, yield* transact(restored))
        }),

        startRevision: Effect.fn("TentVersions.startRevision")(function* (
          workspace,
          id,
          { instruction, createdByName },
        ) {
          const prompt = yield* Effect.fromResult(checkPrompt(instruction, "instruction"))
          const request = { id: GenerationId.make(yield* ids.next), prompt, createdByName, createdBy: yield* Actor }
          const tent = yield* store.lock(workspace, id)
          const latest = yield* store.latestRevision(workspace, id)
          const change = yield* Effect.fromResult(TentChange.revise({ tent, latest }, request, yield* DateTime.now))
          yield* store.apply(workspace, change).pipe(Effect.catchTag("AliasTaken", Effect.die))
          return change.revision?.after ?? (yield* Effect.die("an accepted revision is in its change"))
        }, transact),

        revision: store.revision,
        runGeneration: revisions.run,
        abandonGeneration: revisions.abandon,
      })
    }),
  )
}
