// The two state machines of a tent: its page with versions, and its publication. Every TentChange is decided here.
import { type DateTime, Result } from "effect"
import { GenerationInProgress } from "../documents/DocumentErrors.ts"
import {
  acceptNextGeneration,
  creditsOf,
  creditsOfRemoval,
  endGeneration,
  type Generation,
  generation_credits,
  type GenerationRequest,
  type GenerationStep,
} from "../documents/Generation.ts"
import type { AssetId, TentId } from "../kernel/Ids.ts"
import { type Change, changeOf, type QueuedJob } from "../kernel/changes/Change.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import { type Alias, firstFree } from "./Alias.ts"
import { cleanupJob } from "./assets/Asset.ts"
import {
  AliasTaken,
  type NewVersion,
  type Publication,
  type PublicationWarning,
  type PublishLimitExceeded,
  type Tent,
  TentNotReady,
  type TentGeneration,
  type TentRequest,
} from "./Tent.ts"
import { auditOf, eventsOf, type TentStep } from "./TentEffects.ts"
import { shownVariables, UnfilledVariables } from "./Variables.ts"
import {
  adjustment,
  brandingOf,
  overLimit,
  pageOf,
  type PageToServe,
  type PublishContext,
  type PublishInput,
} from "./Publishing.ts"

/** The name of an idle tent until a request names it. */
const idle_name = "Untitled"

/** "pending": an idle tent without a prompt. A revision by the AI does not change the status. */
export const transitions = {
  pending: { accept: "queued", write: "completed" },
  queued: { begin: "generating", fail: "failed" },
  generating: { complete: "completed", fail: "failed" },
  completed: { write: "completed" },
  failed: { write: "completed" },
} as const satisfies Transitions<TentGeneration["status"], "accept" | "begin" | "complete" | "fail" | "write">

/** "none": the tent has no publication. "pending": publication was requested with the generation. */
export const publicationTransitions = {
  none: { publish: ["published", "failed"] },
  pending: { publish: ["published", "failed"], failGeneration: "failed" },
  published: { publish: "published", unpublish: "unpublished" },
  unpublished: { publish: ["published", "failed"] },
  failed: { publish: ["published", "failed"] },
} as const satisfies Transitions<Publication["status"] | "none", "publish" | "unpublish" | "failGeneration">

const accepts = (tent: Tent, event: "begin" | "complete" | "fail" | "write"): boolean =>
  event in transitions[tent.generation.status]

export type TentChange<After extends Tent | null = Tent | null> = Change<
  "tent",
  {
    /** Null: the tent is new. */
    readonly before: Tent | null
    /** Null: the tent is deleted. */
    readonly after: After
    /** Becomes `after.currentVersion`, when this change has a new version. */
    readonly version: NewVersion | undefined
    /** A step of a revision, when this change has one. */
    readonly revision: GenerationStep | undefined
    /** The bytes to serve from now on, when this change has new ones. */
    readonly page: PageToServe | undefined
    /** Credits taken from the workspace with this change. A negative number gives credits back. */
    readonly credits_taken: number
  }
>

interface Decided<After extends Tent | null> extends TentStep<After>, Partial<Pick<TentChange, "credits_taken">> {
  readonly jobs?: ReadonlyArray<QueuedJob>
}

const tentChange = changeOf("tent")

const changeTo = <After extends Tent | null>(it: Decided<After>): TentChange<After> => {
  const { before, after, version, revision, page, credits_taken = 0, jobs = [] } = it
  const effects = { audit: auditOf(it), events: eventsOf(it), jobs }
  return tentChange({ before, after, version, revision, page, credits_taken }, effects)
}

const idleTent = (id: TentId, now: DateTime.Utc): Tent => ({
  id,
  name: idle_name,
  createdByName: null,
  userId: null,
  request: null,
  generation: { status: "pending" },
  currentVersion: 0,
  generatedBy: null,
  revisionStatus: null,
  credits_held: 0,
  alias: null,
  branding: true,
  publication: null,
  createdAt: now,
  updatedAt: now,
})

/** The tent with its next version, and the version. */
const withVersion = (tent: Tent, version: NewVersion, now: DateTime.Utc, generatedBy: string | null = null) => ({
  version,
  after: {
    ...tent,
    createdByName: tent.createdByName ?? version.byName,
    generation: { status: "completed" },
    currentVersion: tent.currentVersion + 1,
    generatedBy,
    credits_held: 0,
    updatedAt: now,
  } satisfies Tent as Tent,
})

/** The parts of a request that a generated and an uploaded page share. */
interface Requested {
  readonly idle: Tent | null
  readonly id: TentId
  readonly name: string
  readonly createdByName: string
  readonly userId: string | null
  readonly requestedAlias: Alias | null
  readonly now: DateTime.Utc
}

const requestedTent = (it: Requested, autoPublish: boolean): Tent => ({
  ...(it.idle ?? idleTent(it.id, it.now)),
  name: it.name,
  createdByName: it.createdByName,
  userId: it.userId,
  publication: autoPublish ? { status: "pending", requestedAlias: it.requestedAlias } : null,
  updatedAt: it.now,
})

/** The decisions about a tent. Null: the event changes nothing. */
export const TentChange = {
  /** A tent that waits for its prompt. It is created to hold assets. */
  idle(id: TentId, now: DateTime.Utc): TentChange<Tent> {
    return changeTo({ before: null, after: idleTent(id, now) })
  },

  /** Accepts a generation, into a new tent or an idle one. The store takes the credit in the same transaction. */
  accept(
    it: Requested & {
      readonly request: TentRequest
      /** False: the caller generates the page itself, and no job is queued. */
      readonly queued?: boolean
    },
  ): TentChange<Tent> {
    const after: Tent = {
      ...requestedTent(it, it.request.autoPublish),
      request: it.request,
      generation: { status: "queued" },
      credits_held: generation_credits,
    }
    const job = { job: { type: "tent_generation", tentId: it.id }, id: `tent_generation:${it.id}` } as const
    const jobs = it.queued === false ? [] : [job]
    return changeTo({ before: it.idle, after, credits_taken: generation_credits, jobs })
  },

  /** A tent with an uploaded page. The caller publishes it with `autoPublish` if the request said so. */
  create(it: Requested & { readonly html: string; readonly autoPublish: boolean }): TentChange<Tent> {
    const version: NewVersion = { html: it.html, madeBy: "upload", byName: it.createdByName }
    return changeTo({ before: it.idle, ...withVersion(requestedTent(it, it.autoPublish), version, it.now) })
  },

  /** A worker starts the generation. Null when it was started before or has ended. */
  begin(tent: Tent, now: DateTime.Utc): TentChange<Tent> | null {
    if (!accepts(tent, "begin")) return null
    return changeTo({ before: tent, after: { ...tent, generation: { status: "generating" }, updatedAt: now } })
  },

  /** Stores the page; the credit is spent. Null when the generation has ended: the first outcome counts. */
  complete(tent: Tent, html: string, generatedBy: string, now: DateTime.Utc): TentChange<Tent> | null {
    if (!accepts(tent, "complete")) return null
    const version: NewVersion = { html, madeBy: "generation", byName: tent.createdByName ?? "" }
    return changeTo({ before: tent, ...withVersion(tent, version, now, generatedBy) })
  },

  /** The generation failed: gives the credit back. Null when the generation has ended. */
  fail(tent: Tent, error: string, now: DateTime.Utc): TentChange<Tent> | null {
    if (!accepts(tent, "fail")) return null
    const publication: Publication | null =
      tent.publication === null
        ? null
        : {
            status: "failed",
            requestedAlias: tent.publication.requestedAlias,
            error: { code: "tent_not_ready", message: "There is nothing to publish: the generation failed" },
          }
    return changeTo({
      before: tent,
      credits_taken: 0 - tent.credits_held,
      after: { ...tent, generation: { status: "failed", error }, credits_held: 0, publication, updatedAt: now },
    })
  },

  /** Null when the tent has that name. */
  update(tent: Tent, { name }: { readonly name: string }, now: DateTime.Utc): TentChange<Tent> | null {
    return tent.name === name ? null : changeTo({ before: tent, after: { ...tent, name, updatedAt: now } })
  },

  /** Stores the next version. An idle or failed tent has a page then. The published page does not change. */
  write(tent: Tent, version: NewVersion, now: DateTime.Utc): Result.Result<TentChange<Tent>, GenerationInProgress> {
    return accepts(tent, "write")
      ? Result.succeed(changeTo({ before: tent, ...withVersion(tent, version, now) }))
      : Result.fail(new GenerationInProgress())
  },

  /** Requests the next version from the AI. The store takes the credit in the same transaction. */
  revise(
    { tent, latest }: { readonly tent: Tent; readonly latest: Generation | null },
    request: GenerationRequest,
    now: DateTime.Utc,
  ): Result.Result<TentChange<Tent>, TentNotReady | GenerationInProgress> {
    const { status } = tent.generation
    if (status !== "completed") return Result.fail(new TentNotReady({ status }))
    return Result.map(acceptNextGeneration(latest, request, now), (revision) => {
      const { id } = revision.after
      const job = {
        job: { type: "tent_revision", tentId: tent.id, generationId: id },
        id: `tent_revision:${id}`,
      } as const
      return changeTo({ ...revised(tent, revision, now), jobs: [job] })
    })
  },

  /** Stores the answer of a revision as the next version, or its error. Null when the revision is over. */
  settleRevision(
    tent: Tent,
    revision: Generation,
    outcome: Result.Result<string, string>,
    { generatedBy, now }: { readonly generatedBy: string; readonly now: DateTime.Utc },
  ): TentChange<Tent> | null {
    if (Result.isFailure(outcome)) {
      const failed = endGeneration(revision, "fail", { error: outcome.failure }, now)
      return failed && changeTo(revised(tent, failed, now))
    }
    const completed = endGeneration(revision, "complete", { version: tent.currentVersion + 1 }, now)
    if (completed === null) return null
    const version: NewVersion = { html: outcome.success, madeBy: "generation", byName: revision.createdByName }
    const it = revised(tent, completed, now)
    return changeTo({ ...it, ...withVersion(it.after, version, now, generatedBy) })
  },

  /** Withdraws the page. The tent retains its alias. Null when the tent is not published. */
  unpublish(tent: Tent, now: DateTime.Utc): TentChange<Tent> | null {
    if (tent.publication?.status !== "published") return null
    const { requestedAlias } = tent.publication
    return changeTo({
      before: tent,
      after: { ...tent, publication: { status: "unpublished", requestedAlias }, updatedAt: now },
    })
  },

  /** Deletes the tent with its assets. The credit of an unfinished generation is given back. */
  remove(
    { assetIds, tent }: { readonly tent: Tent; readonly assetIds: ReadonlyArray<AssetId> },
    now: DateTime.Utc,
  ): TentChange<null> {
    return changeTo({
      before: tent,
      after: null,
      removedAt: now,
      credits_taken: creditsOfRemoval(tent.revisionStatus && { status: tent.revisionStatus }) - tent.credits_held,
      jobs: assetIds.length === 0 ? [] : [cleanupJob(tent.id, assetIds, `tent:${tent.id}`)],
    })
  },
}

const revised = (tent: Tent, revision: GenerationStep, now: DateTime.Utc) => ({
  before: tent,
  after: { ...tent, revisionStatus: revision.after.status, updatedAt: now },
  revision,
  credits_taken: creditsOf(revision),
})

/** `change` null: the same page is live already. `refusal`: the error to return after the failure is written. */
export interface PublishOutcome {
  readonly change: TentChange<Tent> | null
  readonly refusal: PublishLimitExceeded | null
}

export const publish = (
  tent: Tent,
  input: PublishInput,
  context: PublishContext,
): Result.Result<PublishOutcome, TentNotReady | AliasTaken | UnfilledVariables> => {
  if (tent.generation.status !== "completed") {
    return Result.fail(new TentNotReady({ status: tent.generation.status }))
  }
  const names = shownVariables(context.html)
  if (names.length > 0) return Result.fail(new UnfilledVariables({ names }))
  const alias = input.alias === undefined ? tent.alias : input.alias
  if (alias !== null && context.facts.taken.has(alias)) return Result.fail(new AliasTaken({ alias }))
  const requestedAlias = input.alias !== undefined ? input.alias : alias && (tent.publication?.requestedAlias ?? alias)
  const from = { before: tent, tent, requestedAlias, now: context.now }
  const refusal = overLimit(tent, context.facts)
  if (refusal !== null) return Result.succeed({ change: failed(from, refusal), refusal })
  const { branding, warnings } = brandingOf(input.removeBranding ?? !tent.branding, context.facts)
  const page = pageOf({ ...tent, alias, branding }, context)
  const change = isLive(tent, { alias, page }) ? null : published(from, { alias, branding }, page, warnings)
  return Result.succeed({ change, refusal: null })
}

/**
 * Publishes a new page in the same change as its completion, if the request said so. The caller can't be asked, so a taken
 * alias becomes the next free one, a taken root the default address, and a reached plan limit a stored failure.
 */
export const autoPublish = (completed: TentChange<Tent>, context: PublishContext): TentChange<Tent> => {
  const { before, after: tent, version } = completed
  if (tent.publication?.status !== "pending") return completed
  const { requestedAlias } = tent.publication
  const from = { before, tent, version, requestedAlias, now: context.now }
  const refusal = overLimit(tent, context.facts)
  if (refusal !== null) return failed(from, refusal)
  const turn = tent.request?.aliasTurn ?? 1
  const alias = requestedAlias === null ? null : firstFree(requestedAlias, context.facts.taken, turn)
  const { branding } = tent
  const page = pageOf({ ...tent, alias }, context)
  return published(from, { alias, branding }, page, adjustment(requestedAlias, alias))
}

/** What a publication starts from: the stored tent, or its completion in the same change. */
interface PublishedFrom extends Pick<Decided<Tent>, "before" | "version"> {
  readonly tent: Tent
  readonly requestedAlias: Alias | null
  readonly now: DateTime.Utc
}

const published = (
  { tent, requestedAlias, now, ...from }: PublishedFrom,
  applied: Pick<Tent, "alias" | "branding">,
  page: PageToServe,
  warnings: ReadonlyArray<PublicationWarning>,
): TentChange<Tent> => {
  const { currentVersion: version } = tent
  const live = { version, publishedAt: now, etag: page.etag, warnings }
  const publication = { status: "published", requestedAlias, ...live } as const
  return changeTo({ ...from, page, after: { ...tent, ...applied, publication, updatedAt: now } })
}

const failed = (
  { tent, requestedAlias, now, ...from }: PublishedFrom,
  { code, message }: PublishLimitExceeded,
): TentChange<Tent> => {
  const publication = { status: "failed", requestedAlias, error: { code, message } } as const
  return changeTo({ ...from, after: { ...tent, publication, updatedAt: now } })
}

const isLive = (tent: Tent, wanted: { readonly alias: Alias | null; readonly page: PageToServe }): boolean =>
  tent.publication?.status === "published" &&
  tent.publication.version === tent.currentVersion &&
  tent.publication.etag === wanted.page.etag &&
  tent.alias === wanted.alias
