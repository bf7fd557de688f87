// The selection of a draft's audience: an existing list, or an inline list created for it. Decided with the functions of
// `lists/`; the blast's change carries the result.
import { type DateTime, Result } from "effect"
import type { BlastId, ContactId, ListId } from "../kernel/Ids.ts"
import {
  contact_ids_max,
  type CreationFacts,
  type List,
  ListChange,
  type ListNameExists,
  type NewList,
} from "../lists/List.ts"
import { name_length_max as list_name_length_max, type WantedName } from "../lists/ListName.ts"
import { Invalid, type NotFound } from "../kernel/Refusal.ts"
import { fold, nameWith } from "../kernel/Text.ts"
import type { Audience, Blast } from "./Blast.ts"

interface InlineList {
  readonly source: "inline"
  /** Defaults to a name derived from the blast's name. */
  readonly name?: string
  readonly description?: string | null
}

export interface InlineStatic extends InlineList {
  readonly kind: "static"
  readonly contactIds: ReadonlyArray<ContactId>
}

export interface InlineDynamic extends InlineList {
  readonly kind: "dynamic"
  /** Undecoded JSON. */
  readonly rules: unknown
}

export interface ExistingList {
  readonly source: "existing"
  readonly listId: ListId
}

export type AudienceSelection = ExistingList | InlineStatic | InlineDynamic

export interface SelectedAudience {
  readonly audience: Audience
  /** The deletion of the former inline list comes first, so that its name is free. */
  readonly lists: ReadonlyArray<ListChange>
}

const isOwned = (list: List): list is List & { readonly ownerBlastId: BlastId } => list.ownerBlastId !== null

/** The deletion of the blast's former inline list, if it has one. */
export const inlineListDeletion = (blast: Blast, former: List | null, now: DateTime.Utc): ReadonlyArray<ListChange> =>
  former !== null && isOwned(former) && former.ownerBlastId === blast.id ? [ListChange.discardInline(former, now)] : []

/** Selects an existing list. Another blast's inline list is refused, because it is deleted with that blast. */
export const selectExisting = (
  blast: Blast,
  list: List,
  former: List | null,
  now: DateTime.Utc,
): Result.Result<SelectedAudience, Invalid> => {
  if (isOwned(list) && list.ownerBlastId !== blast.id) {
    return Result.fail(Invalid.at("list_id", "is the inline audience of another blast. Use another list"))
  }
  if (isOwned(list)) return Result.succeed({ audience: { listId: list.id, source: "inline" }, lists: [] })
  return Result.succeed({
    audience: { listId: list.id, source: "existing" },
    lists: inlineListDeletion(blast, former, now),
  })
}

export const audienceName = (blast: Blast, name: string | undefined): WantedName =>
  name === undefined
    ? { text: nameWith(blast.name, " audience", list_name_length_max), origin: "derived" }
    : { text: name, origin: "given" }

export const checkContactIds = (contactIds: ReadonlyArray<ContactId>): Result.Result<void, Invalid> =>
  contactIds.length > contact_ids_max
    ? Result.fail(Invalid.at("contact_ids", `must have at most ${contact_ids_max} ids, got ${contactIds.length}`))
    : Result.void

/** Creates an inline list. It may reuse the name and slug of the former inline list, which is deleted. */
export const selectInline = (
  blast: Blast,
  wanted: NewList,
  former: List | null,
  facts: CreationFacts,
  now: DateTime.Utc,
): Result.Result<SelectedAudience, ListNameExists | NotFound> => {
  const going = inlineListDeletion(blast, former, now)
  const names = new Set(facts.taken.names)
  const slugs = new Set(facts.taken.slugs)
  for (const { before } of going) {
    names.delete(fold(before?.name ?? ""))
    slugs.delete(before?.slug ?? "")
  }
  return Result.map(
    ListChange.createInline(wanted, blast.id, { ...facts, taken: { names, slugs } }, now),
    ({ change, list }) => ({ audience: { listId: list.id, source: "inline" }, lists: [...going, change] }),
  )
}
