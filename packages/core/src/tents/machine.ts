// The two state machines of a tent: the generation of its page, and its publication, with the conditions of a publication:
// the limit of the plan, branding, a free alias, and the page to serve. Every TentChange is decided here.
import { type DateTime, Result } from "effect"
import { generation_credits } from "../documents/Generation.ts"
import type { AssetId, TentId } from "../kernel/Ids.ts"
import { type AuditNote, type Change, changeOf, type QueuedJob } from "../kernel/changes/Change.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import { type Alias, firstFree } from "./Alias.ts"
import { cleanupJob } from "./assets/Asset.ts"
import {
  AliasTaken,
  type Publication,
  type PublicationWarning,
  PublishLimitExceeded,
  type Tent,
  TentNotReady,
  type TentGeneration,
  type TentRequest,
} from "./Tent.ts"
import type { Plan } from "../workspaces/Workspace.ts"
import { type Parse, parseNow } from "../ports/Parsers.ts"
import { publishedParser } from "./pages/PageDocument.ts"
import { shownVariables, UnfilledVariables } from "./Variables.ts"

/** The name of an idle tent until a request names it. */
const idle_name = "Untitled"

/** "pending": an idle tent without a prompt. */
export const transitions = {
  pending: { accept: "queued" },
  queued: { begin: "generating", fail: "failed" },
  generating: { complete: "completed", fail: "failed" },
  completed: {},
  failed: {},
} as const satisfies Transitions<TentGeneration["status"], "accept" | "begin" | "complete" | "fail">

/** "none": the tent has no publication. "pending": publication was requested with the generation. */
export const publicationTransitions = {
  none: { publish: ["published", "failed"] },
  pending: { publish: ["published", "failed"], failGeneration: "failed" },
  published: { publish: "published", unpublish: "unpublished" },
  unpublished: { publish: ["published", "failed"] },
  failed: { publish: ["published", "failed"] },
} as const satisfies Transitions<Publication["status"] | "none", "publish" | "unpublish" | "failGeneration">

const accepts = (tent: Tent, event: "begin" | "complete" | "fail"): boolean =>
  event in transitions[tent.generation.status]

export type TentChange<After extends Tent | null = Tent | null> = Change<
  "tent",
  {
    /** Null: the tent is new. */
    readonly before: Tent | null
    /** Null: the tent is deleted. */
    readonly after: After
    /** The generated document, when this change has a new one. */
    readonly html: string | undefined
    /** The bytes to serve from now on, when this change has new ones. */
    readonly page: PageToServe | undefined
    /** Credits taken from the workspace with this change. A negative number gives credits back. */
    readonly credits_taken: number
  }
>

interface Decided<After extends Tent | null> extends Partial<Pick<TentChange, "html" | "page" | "credits_taken">> {
  readonly before: Tent | null
  readonly after: After
  readonly jobs?: ReadonlyArray<QueuedJob>
}

const isPublished = (tent: Tent | null): boolean => tent?.publication?.status === "published"

/** Audits who created the tent, and when its page becomes public or stops being public. */
const auditOf = ({ before, after, page }: Decided<Tent | null>): ReadonlyArray<AuditNote> => {
  const tent = after ?? before
  if (tent === null) return []
  if (after !== null && after.request !== null && (before?.request ?? null) === null) {
    return [{ action: "tent.created", target: tent.id, details: { user_id: after.userId } }]
  }
  const note = (action: AuditNote["action"]) => [{ action, target: tent.id, details: { alias: after?.alias ?? null } }]
  if (isPublished(after) && (!isPublished(before) || page !== undefined)) return note("tent.published")
  return isPublished(before) && !isPublished(after) ? note("tent.unpublished") : []
}

const tentChange = changeOf("tent")

const changeTo = <After extends Tent | null>(it: Decided<After>): TentChange<After> =>
  tentChange(
    { before: it.before, after: it.after, html: it.html, page: it.page, credits_taken: it.credits_taken ?? 0 },
    { audit: auditOf(it), jobs: it.jobs ?? [] },
  )

const idleTent = (id: TentId, now: DateTime.Utc): Tent => ({
  id,
  name: idle_name,
  userId: null,
  request: null,
  generation: { status: "pending" },
  generatedBy: null,
  credits_held: 0,
  alias: null,
  branding: true,
  publication: null,
  createdAt: now,
  updatedAt: now,
})

/** The decisions about a tent. Null: the event changes nothing. */
export const TentChange = {
  /** A tent that waits for its prompt. It is created to hold assets. */
  idle(id: TentId, now: DateTime.Utc): TentChange<Tent> {
    return changeTo({ before: null, after: idleTent(id, now) })
  },

  /** Accepts a generation, into a new tent or an idle one. The store takes the credit in the same transaction. */
  accept(it: {
    readonly idle: Tent | null
    readonly id: TentId
    readonly name: string
    readonly userId: string | null
    readonly request: TentRequest
    readonly requestedAlias: Alias | null
    /** False: the caller generates the page itself, and no job is queued. */
    readonly queued?: boolean
    readonly now: DateTime.Utc
  }): TentChange<Tent> {
    const after: Tent = {
      ...(it.idle ?? idleTent(it.id, it.now)),
      name: it.name,
      userId: it.userId,
      request: it.request,
      generation: { status: "queued" },
      credits_held: generation_credits,
      publication: it.request.autoPublish ? { status: "pending", requestedAlias: it.requestedAlias } : null,
      updatedAt: it.now,
    }
    const job = { job: { type: "tent_generation", tentId: it.id }, id: `tent_generation:${it.id}` } as const
    const jobs = it.queued === false ? [] : [job]
    return changeTo({ before: it.idle, after, credits_taken: generation_credits, jobs })
  },

  /** A worker starts the generation. Null when it was started before or has ended. */
  begin(tent: Tent, now: DateTime.Utc): TentChange<Tent> | null {
    if (!accepts(tent, "begin")) return null
    return changeTo({ before: tent, after: { ...tent, generation: { status: "generating" }, updatedAt: now } })
  },

  /** Stores the page; the credit is spent. Null when the generation has ended: the first outcome counts. */
  complete(tent: Tent, html: string, generatedBy: string, now: DateTime.Utc): TentChange<Tent> | null {
    if (!accepts(tent, "complete")) return null
    const after: Tent = { ...tent, generation: { status: "completed" }, generatedBy, credits_held: 0, updatedAt: now }
    return changeTo({ before: tent, html, after })
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
  remove({ assetIds, tent }: { readonly tent: Tent; readonly assetIds: ReadonlyArray<AssetId> }): TentChange<null> {
    return changeTo({
      before: tent,
      after: null,
      credits_taken: 0 - tent.credits_held,
      jobs: assetIds.length === 0 ? [] : [cleanupJob(tent.id, assetIds, `tent:${tent.id}`)],
    })
  },
}

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
  const page = pageOf(tent.id, branding, context)
  const change = isLive(tent, { alias, page }) ? null : published(from, { alias, branding }, page, warnings)
  return Result.succeed({ change, refusal: null })
}

/**
 * Publishes a new page in the same change as its completion, if the request said so. The caller can't be asked, so a taken
 * alias becomes the next free one, a taken root the default address, and a reached plan limit a stored failure.
 */
export const autoPublish = (completed: TentChange<Tent>, context: PublishContext): TentChange<Tent> => {
  const { before, after: tent, html } = completed
  if (tent.publication?.status !== "pending") return completed
  const { requestedAlias } = tent.publication
  const from = { before, tent, html, requestedAlias, now: context.now }
  const refusal = overLimit(tent, context.facts)
  if (refusal !== null) return failed(from, refusal)
  const turn = tent.request?.aliasTurn ?? 1
  const alias = requestedAlias === null ? null : firstFree(requestedAlias, context.facts.taken, turn)
  const { branding } = tent
  return published(from, { alias, branding }, pageOf(tent.id, branding, context), adjustment(requestedAlias, alias))
}

/** What a publication starts from: the stored tent, or its completion in the same change. */
interface PublishedFrom extends Pick<Decided<Tent>, "before" | "html"> {
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
  const publication = { status: "published", requestedAlias, publishedAt: now, etag: page.etag, warnings } as const
  return changeTo({ ...from, page, after: { ...tent, ...applied, publication, updatedAt: now } })
}

const failed = (
  { tent, requestedAlias, now, ...from }: PublishedFrom,
  { code, message }: PublishLimitExceeded,
): TentChange<Tent> => {
  const publication = { status: "failed", requestedAlias, error: { code, message } } as const
  return changeTo({ ...from, after: { ...tent, publication, updatedAt: now } })
}

/** Facts for a publication, read under the workspace's publishing lock. */
export interface PublishFacts {
  readonly plan: Pick<Plan, "publishedTents_max" | "brandingRemovable">
  /** Published tents of the workspace without this one. */
  readonly others_published: number
  /** Aliases of other tents that begin with the stem of the requested one, published or not. */
  readonly taken: ReadonlySet<string>
}

export interface PublishInput {
  /** Absent: the alias does not change. Null: the default address. */
  readonly alias?: Alias | null
  /** Absent: the branding does not change. */
  readonly removeBranding?: boolean
}

export interface PublishContext {
  readonly facts: PublishFacts
  /** The generated document. */
  readonly html: string
  readonly etagOf: (html: string) => string
  readonly now: DateTime.Utc
  readonly parse?: Parse
}

interface PageToServe {
  readonly html: string
  readonly etag: string
}

const overLimit = (tent: Tent, facts: PublishFacts): PublishLimitExceeded | null => {
  const limit = facts.plan.publishedTents_max
  if (limit === null || tent.publication?.status === "published" || facts.others_published < limit) return null
  return new PublishLimitExceeded({ limit, current: facts.others_published })
}

const brandingOf = (removalWanted: boolean, facts: PublishFacts) => {
  const refused = removalWanted && !facts.plan.brandingRemovable
  const warnings: ReadonlyArray<PublicationWarning> = refused
    ? [{ code: "branding_required", message: 'The plan does not allow pages without the line "Made with Tentpole"' }]
    : []
  return { branding: !removalWanted || refused, warnings }
}

const adjustment = (requested: Alias | null, applied: Alias | null): ReadonlyArray<PublicationWarning> => {
  if (requested === applied || requested === null) return []
  return applied === null
    ? [{ code: "alias_taken", message: `Another tent has the alias "${requested}": published at the default address` }]
    : [{ code: "alias_adjusted", message: `Another tent has the alias "${requested}": published as "${applied}"` }]
}

const pageOf = (tentId: TentId, branding: boolean, { html, etagOf, parse = parseNow }: PublishContext): PageToServe => {
  const served = parse(publishedParser, { html, options: { tentId, branding } })
  return { html: served, etag: etagOf(served) }
}

const isLive = (tent: Tent, wanted: { readonly alias: Alias | null; readonly page: PageToServe }): boolean =>
  tent.publication?.status === "published" && tent.publication.etag === wanted.page.etag && tent.alias === wanted.alias
