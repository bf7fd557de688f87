// A batch of contacts that are made or altered, whichever it takes, decided: the API's upserts, imports and forms.
import { Result } from "effect"
import { type BatchDecision, type BatchFacts, conflict, type ItemResult, missingIdentity, rejected } from "./Batch.ts"
import { type ContactPatch, type ContactSource, type SkipIfFilled, withoutFilled } from "../ContactPatch.ts"
import type { ReadItem } from "./ContactItem.ts"
import { BatchContacts } from "./BatchContacts.ts"

export interface UpsertOptions {
  /** Reads as `original_source` of those created, unless the item has one. */
  readonly source: ContactSource
  /**
   * `email_first`: the email decides, and a phone finds somebody only for an item without email (the API's upsert).
   * `email_or_phone`: either finds somebody (imports, forms).
   */
  readonly match: "email_first" | "email_or_phone"
  /**
   * An item whose email and phone belong to two people: refused, or taken for the email's owner, without the phone (a form
   * has nobody to say no to). Under `email_first` a new email with somebody's phone counts as one.
   */
  readonly splitIdentity: "reject" | "email_wins"
  /** What becomes of an item that finds somebody. A later item of the batch that finds an earlier one's contact counts too. */
  readonly duplicates: "update" | "skip"
  /** Fields of those found that are filled but never overwritten. */
  readonly skipIfFilled: SkipIfFilled
}

/** The upsert of the API. */
export const apiUpsert: UpsertOptions = {
  source: "api",
  match: "email_first",
  splitIdentity: "reject",
  duplicates: "update",
  skipIfFilled: new Set(),
}

/**
 * Creates those who aren't there and updates those who are. Whoever is found by the email keeps the spelling of it, and
 * nobody is altered whom the item names by phone only beside the email that decided.
 */
export const decideUpserts = (
  items: ReadonlyArray<ReadItem>,
  facts: BatchFacts,
  options: UpsertOptions,
): BatchDecision => {
  const people = new BatchContacts(facts, facts.ids)
  const results = items.map(({ patch }): ItemResult =>
    Result.isFailure(patch) ? rejected(patch.failure) : upsert(people, patch.success, options),
  )
  return { change: people.change(), results }
}

const upsert = (people: BatchContacts, patch: ContactPatch, options: UpsertOptions): ItemResult => {
  if (!patch.email && !patch.phone) return rejected(missingIdentity)
  const [byEmail, byPhone] = people.whoIs(patch)
  const emailDecides = options.match === "email_first" && Boolean(patch.email)
  const found = emailDecides ? byEmail : (byEmail ?? byPhone)
  if (byPhone !== undefined && byPhone.id !== found?.id) {
    if (options.splitIdentity === "reject") return rejected(conflict(byPhone, "phone"))
    const { phone: _, ...withoutPhone } = patch
    return upsert(people, withoutPhone, options)
  }
  if (found === undefined) return { status: "created", contact: people.create(patch, options.source) }
  if (options.duplicates === "skip") return { status: "skipped", contact: found }
  const { email: _, ...others } = patch
  const fields = byEmail === undefined ? patch : others
  return { status: "updated", contact: people.update(found, withoutFilled(found, fields, options.skipIfFilled)) }
}
