// Whether and where a page is published: by hand, where a taken alias is refused, and by itself after its generation,
// where a free one is found.
import { type DateTime, Result } from "effect"
import type { TentId } from "../../kernel/Ids.ts"
import type { Plan } from "../../workspaces/Workspace.ts"
import { type Alias, firstFree } from "../Alias.ts"
import { toPublished } from "./PageDocument.ts"
import { AliasTaken, PublishLimitExceeded, type PublicationWarning, type Tent, TentNotReady } from "../Tent.ts"
import { type PageToServe, TentChange } from "../TentChange.ts"

/** What publishing has to know beyond the tent; while it is held, nobody else publishes in the workspace. */
export interface PublishFacts {
  readonly plan: Pick<Plan, "publishedTents_max" | "brandingRemovable">
  /** Published tents of the workspace without this one. */
  readonly others_published: number
  /** Those of the aliases that begin like the wanted one which other tents have, published or not. */
  readonly taken: ReadonlySet<string>
}

export interface PublishWish {
  /** Absent: the alias stays what it is. Null: the default address. */
  readonly alias?: Alias | null
  /** Absent: as it was. */
  readonly removeBranding?: boolean
}

export interface PublishContext {
  readonly facts: PublishFacts
  /** The generated document. */
  readonly html: string
  readonly etagOf: (html: string) => string
  readonly now: DateTime.Utc
}

/** `change` null: the very page is live there already. `refusal`: what is written of a publishing that failed. */
export interface PublishOutcome {
  readonly change: TentChange | null
  readonly refusal: PublishLimitExceeded | null
}

export const publish = (
  tent: Tent,
  wish: PublishWish,
  context: PublishContext,
): Result.Result<PublishOutcome, TentNotReady | AliasTaken> => {
  if (tent.generation.status !== "completed") {
    return Result.fail(new TentNotReady({ status: tent.generation.status }))
  }
  const alias = wish.alias === undefined ? tent.alias : wish.alias
  if (alias !== null && context.facts.taken.has(alias)) return Result.fail(new AliasTaken({ alias }))
  const requestedAlias = wish.alias !== undefined ? wish.alias : alias && (tent.publication?.requestedAlias ?? alias)
  const refusal = overLimit(tent, context.facts)
  if (refusal !== null) {
    return Result.succeed({ change: failed(tent, requestedAlias, refusal, context.now), refusal })
  }
  const { branding, warnings } = brandingOf(wish.removeBranding ?? !tent.branding, context.facts)
  const page = pageOf(tent.id, branding, context)
  if (isLive(tent, { alias, page })) return Result.succeed({ change: null, refusal: null })
  const change = published(tent, { alias, requestedAlias, branding, warnings, page, now: context.now })
  return Result.succeed({ change, refusal: null })
}

/**
 * Publishes what has just been generated, when that was asked for, as one change with it. Nobody is there to ask: a taken
 * alias becomes the next free one, a taken root the default address, and a full plan a kept failure.
 */
export const autoPublish = (completed: TentChange, context: PublishContext): TentChange => {
  const tent = completed.after
  if (tent?.publication?.status !== "pending") return completed
  const { requestedAlias } = tent.publication
  const refusal = overLimit(tent, context.facts)
  if (refusal !== null) return failed(tent, requestedAlias, refusal, context.now, completed)
  const turn = tent.request?.aliasTurn ?? 1
  const alias = requestedAlias === null ? null : firstFree(requestedAlias, context.facts.taken, turn)
  return published(
    tent,
    {
      alias,
      requestedAlias,
      branding: tent.branding,
      warnings: adjustment(requestedAlias, alias),
      page: pageOf(tent.id, tent.branding, context),
      now: context.now,
    },
    completed,
  )
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

const pageOf = (tentId: TentId, branding: boolean, { html, etagOf }: PublishContext): PageToServe => {
  const served = toPublished(html, { tentId, branding })
  return { html: served, etag: etagOf(served) }
}

const isLive = (tent: Tent, wanted: { readonly alias: Alias | null; readonly page: PageToServe }): boolean =>
  tent.publication?.status === "published" && tent.publication.etag === wanted.page.etag && tent.alias === wanted.alias

const published = (
  tent: Tent,
  it: {
    readonly alias: Alias | null
    readonly requestedAlias: Alias | null
    readonly branding: boolean
    readonly warnings: ReadonlyArray<PublicationWarning>
    readonly page: PageToServe
    readonly now: DateTime.Utc
  },
  generated?: TentChange,
): TentChange =>
  TentChange.publication({
    tent,
    page: it.page,
    now: it.now,
    ...(generated === undefined ? {} : { generated }),
    after: {
      alias: it.alias,
      branding: it.branding,
      publication: {
        status: "published",
        requestedAlias: it.requestedAlias,
        publishedAt: it.now,
        etag: it.page.etag,
        warnings: it.warnings,
      },
    },
  })

const failed = (
  tent: Tent,
  requestedAlias: Alias | null,
  refusal: PublishLimitExceeded,
  now: DateTime.Utc,
  generated?: TentChange,
): TentChange =>
  TentChange.publication({
    tent,
    now,
    ...(generated === undefined ? {} : { generated }),
    after: {
      alias: tent.alias,
      branding: tent.branding,
      publication: { status: "failed", requestedAlias, error: { code: refusal.code, message: refusal.message } },
    },
  })
