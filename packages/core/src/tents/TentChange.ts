// Everything that can happen to a tent, decided: each move is a pure function of what is known, and its outcome is the only
// thing that a store will write.
import type { DateTime } from "effect"
import type { Job } from "../kernel/Jobs.ts"
import type { AssetId, TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Alias } from "./Alias.ts"
import { cleanupJob } from "./assets/Asset.ts"
import type { Publication, Tent, TentRequest } from "./Tent.ts"

/** One page generation costs this much. */
export const generation_credits = 1

/** What a tent is called until it is told. */
const idle_name = "Untitled"

export interface PageToServe {
  readonly html: string
  readonly etag: string
}

interface Decided {
  readonly before: Tent | null
  readonly after: Tent | null
  readonly html?: string
  readonly page?: PageToServe
  readonly credits_taken?: number
  readonly jobs?: TentChange["jobs"]
}

export class TentChange {
  readonly #brand = true
  /** Null: the tent is new. */
  readonly before: Tent | null
  /** Null: the tent is removed. */
  readonly after: Tent | null
  /** The generated document, when this change brings it. */
  readonly html: string | undefined
  /** The bytes to serve from now on, when this change brings them. */
  readonly page: PageToServe | undefined
  /** Credits taken from the workspace with this change; negative: given back. */
  readonly credits_taken: number
  readonly jobs: ReadonlyArray<{ readonly id: string; readonly job: Job }>

  private constructor(it: Decided) {
    this.before = it.before
    this.after = it.after
    this.html = it.html
    this.page = it.page
    this.credits_taken = it.credits_taken ?? 0
    this.jobs = it.jobs ?? []
  }

  static is(it: unknown): it is TentChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** A tent that waits for its prompt: made to hold files. */
  static idle(id: TentId, now: DateTime.Utc): TentChange {
    const after: Tent = {
      id,
      name: idle_name,
      userId: null,
      request: null,
      generation: { status: "pending" },
      credits_held: 0,
      alias: null,
      branding: true,
      publication: null,
      createdAt: now,
      updatedAt: now,
    }
    return new TentChange({ before: null, after })
  }

  /**
   * Accepts a generation, into a new tent or an idle one. The credit is taken with it: a workspace without one keeps
   * everything as it was.
   */
  static accept(it: {
    readonly workspace: WorkspaceId
    readonly idle: Tent | null
    readonly id: TentId
    readonly name: string
    readonly userId: string | null
    readonly request: TentRequest
    readonly requestedAlias: Alias | null
    readonly now: DateTime.Utc
  }): TentChange {
    const after: Tent = {
      id: it.id,
      name: it.name,
      userId: it.userId,
      request: it.request,
      generation: { status: "queued" },
      credits_held: generation_credits,
      alias: null,
      branding: true,
      publication: it.request.autoPublish ? { status: "pending", requestedAlias: it.requestedAlias } : null,
      createdAt: it.idle?.createdAt ?? it.now,
      updatedAt: it.now,
    }
    return new TentChange({
      before: it.idle,
      after,
      credits_taken: generation_credits,
      jobs: [
        {
          id: `tent_generation:${it.id}`,
          job: { type: "tent_generation", workspaceId: it.workspace, tentId: it.id },
        },
      ],
    })
  }

  /** A worker takes the generation up; null when there is nothing to take up: it is taken already, or over. */
  static begin(tent: Tent, now: DateTime.Utc): TentChange | null {
    if (tent.generation.status !== "queued") return null
    return new TentChange({
      before: tent,
      after: { ...tent, generation: { status: "generating" }, updatedAt: now },
    })
  }

  /** The page is there; the credit is spent. Null when the generation is over already: the first answer stands. */
  static complete(tent: Tent, html: string, now: DateTime.Utc): TentChange | null {
    if (tent.generation.status !== "generating") return null
    return new TentChange({
      before: tent,
      html,
      after: { ...tent, generation: { status: "completed" }, credits_held: 0, updatedAt: now },
    })
  }

  /** There will be no page: what was taken is given back. Null when the generation is over already. */
  static fail(tent: Tent, error: string, now: DateTime.Utc): TentChange | null {
    if (tent.generation.status !== "generating" && tent.generation.status !== "queued") return null
    const publication: Publication | null =
      tent.publication === null
        ? null
        : {
            status: "failed",
            requestedAlias: tent.publication.requestedAlias,
            error: { code: "tent_not_ready", message: "There is nothing to publish: the generation failed" },
          }
    return new TentChange({
      before: tent,
      credits_taken: 0 - tent.credits_held,
      after: { ...tent, generation: { status: "failed", error }, credits_held: 0, publication, updatedAt: now },
    })
  }

  /** What `Publish.ts` decided. `generated` joins it to the change that brought the page. */
  static publication(it: {
    readonly tent: Tent
    readonly after: Pick<Tent, "alias" | "branding"> & { readonly publication: Publication }
    readonly page?: PageToServe
    readonly generated?: TentChange
    readonly now: DateTime.Utc
  }): TentChange {
    const { tent, after, generated } = it
    return new TentChange({
      before: generated?.before ?? tent,
      after: { ...tent, ...after, updatedAt: it.now },
      ...(generated?.html === undefined ? {} : { html: generated.html }),
      ...(it.page === undefined ? {} : { page: it.page }),
    })
  }

  /** The page goes, the alias stays the tent's own. Null when nothing is published. */
  static unpublish(tent: Tent, now: DateTime.Utc): TentChange | null {
    if (tent.publication?.status !== "published") return null
    return new TentChange({
      before: tent,
      after: {
        ...tent,
        publication: { status: "unpublished", requestedAlias: tent.publication.requestedAlias },
        updatedAt: now,
      },
    })
  }

  /** The tent goes with all that is its own. There is nothing to show for work that is not over: it costs nothing. */
  static remove(it: {
    readonly workspace: WorkspaceId
    readonly tent: Tent
    readonly assetIds: ReadonlyArray<AssetId>
  }): TentChange {
    const { workspace, tent, assetIds } = it
    return new TentChange({
      before: tent,
      after: null,
      credits_taken: 0 - tent.credits_held,
      jobs: assetIds.length === 0 ? [] : [cleanupJob(workspace, tent.id, assetIds, `tent:${tent.id}`)],
    })
  }
}
