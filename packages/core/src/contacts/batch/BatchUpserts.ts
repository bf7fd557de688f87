// The decision over a batch of upserts: the API's upserts, imports and forms.
import { Result } from "effect"
import { type BatchDecision, type BatchFacts, conflict, type ItemResult, missingIdentity, rejected } from "./Batch.ts"
import { type ContactPatch, type ContactSource, type SkipIfFilled, withoutFilled } from "../ContactPatch.ts"
import type { ReadItem } from "./ContactItem.ts"
import { BatchContacts } from "./BatchContacts.ts"

export interface UpsertOptions {
  /** The `original_source` of created contacts, unless the item has one. */
  readonly source: ContactSource
  /**
   * `email_first`: an item with an email matches by email alone (the API's upsert); a phone matches only without email.
   * `email_or_phone`: either matches (imports, forms).
   */
  readonly match: "email_first" | "email_or_phone"
  /**
   * An item whose email and phone belong to two contacts: `reject` it, or let the email win and drop the phone (forms, which
   * can't report an error). Under `email_first` a new email with the phone of an existing contact counts as such an item.
   */
  readonly splitIdentity: "reject" | "email_wins"
  /** What happens to an item that matches a contact, contacts of earlier items of the batch included. */
  readonly duplicates: "update" | "skip"
  /** Fields of matched contacts that are filled but not overwritten. */
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
 * Creates contacts that do not exist and updates those that do. A contact matched by email keeps the spelling of its email.
 * If the email decides, the contact with the item's phone is not changed.
 */
export const decideUpserts = (
  items: ReadonlyArray<ReadItem>,
  facts: BatchFacts,
  options: UpsertOptions,
): BatchDecision => {
  const contacts = new BatchContacts(facts, facts.ids)
  const results = items.map(({ patch }): ItemResult =>
    Result.isFailure(patch) ? rejected(patch.failure) : upsert(contacts, patch.success, options),
  )
  return { change: contacts.change(), results }
}

const upsert = (contacts: BatchContacts, patch: ContactPatch, options: UpsertOptions): ItemResult => {
  if (!patch.email && !patch.phone) return rejected(missingIdentity)
  const [byEmail, byPhone] = contacts.findByIdentity(patch)
  const emailDecides = options.match === "email_first" && Boolean(patch.email)
  const found = emailDecides ? byEmail : (byEmail ?? byPhone)
  if (byPhone !== undefined && byPhone.id !== found?.id) {
    if (options.splitIdentity === "reject") return rejected(conflict(byPhone, "phone"))
    const { phone: _, ...withoutPhone } = patch
    return upsert(contacts, withoutPhone, options)
  }
  if (found === undefined) return { status: "created", contact: contacts.create(patch, options.source) }
  if (options.duplicates === "skip") return { status: "skipped", contact: found }
  const { email: _, ...others } = patch
  const fields = byEmail === undefined ? patch : others
  return { status: "updated", contact: contacts.update(found, withoutFilled(found, fields, options.skipIfFilled)) }
}
