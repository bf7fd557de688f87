// The conditions of a publication: the limit of the plan, branding, a free alias, and the page to serve.
import type { DateTime } from "effect"
import { type Parse, parseNow } from "../ports/Parsers.ts"
import type { Plan } from "../workspaces/Workspace.ts"
import type { Alias } from "./Alias.ts"
import type { Addressed } from "./pages/PageAddress.ts"
import { publishedParser } from "./pages/PageDocument.ts"
import { type PublicationWarning, PublishLimitExceeded, type Tent } from "./Tent.ts"

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
  /** The HTML of the current version. */
  readonly html: string
  readonly etagOf: (html: string) => string
  readonly urlOf: (tent: Addressed) => string
  readonly now: DateTime.Utc
  readonly parse?: Parse
}

export interface PageToServe {
  readonly html: string
  readonly etag: string
  readonly url: string
}

export const overLimit = (tent: Tent, facts: PublishFacts): PublishLimitExceeded | null => {
  const limit = facts.plan.publishedTents_max
  if (limit === null || tent.publication?.status === "published" || facts.others_published < limit) return null
  return new PublishLimitExceeded({ limit, current: facts.others_published })
}

export const brandingOf = (removalWanted: boolean, facts: PublishFacts) => {
  const refused = removalWanted && !facts.plan.brandingRemovable
  const warnings: ReadonlyArray<PublicationWarning> = refused
    ? [{ code: "branding_required", message: 'The plan does not allow pages without the line "Made with Tentpole"' }]
    : []
  return { branding: !removalWanted || refused, warnings }
}

export const adjustment = (requested: Alias | null, applied: Alias | null): ReadonlyArray<PublicationWarning> => {
  if (requested === applied || requested === null) return []
  return applied === null
    ? [{ code: "alias_taken", message: `Another tent has the alias "${requested}": published at the default address` }]
    : [{ code: "alias_adjusted", message: `Another tent has the alias "${requested}": published as "${applied}"` }]
}

export const pageOf = (
  tent: Pick<Tent, "id" | "alias" | "branding">,
  { html, etagOf, parse = parseNow, urlOf }: PublishContext,
): PageToServe => {
  const served = parse(publishedParser, { html, options: { tentId: tent.id, branding: tent.branding } })
  return { html: served, etag: etagOf(served), url: urlOf(tent) }
}
