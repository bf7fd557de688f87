// A batch of alterations of contacts that are named by their ids, decided.
import { Result } from "effect"
import type { ContactId } from "../../kernel/Ids.ts"
import {
  type BatchDecision,
  conflict,
  type Identities,
  identitiesOf,
  notFound,
  type ContactFacts,
  rejected,
  type Rejected,
} from "./Batch.ts"
import type { Contact } from "../Contact.ts"
import type { ContactPatch } from "../ContactPatch.ts"
import { type ItemIssue, type ReadUpdate, refusal } from "./ContactItem.ts"
import { BatchContacts } from "./BatchContacts.ts"

export type UpdateResult = { readonly status: "updated"; readonly contact: Contact } | Rejected

/** Whom to lock and read before deciding: those who are named, and those who have what these are to have. */
export const contactsToUpdate = (
  items: ReadonlyArray<ReadUpdate>,
): Identities & { readonly ids: ReadonlyArray<ContactId> } => {
  const targeted = items.flatMap(({ update }) => (Result.isSuccess(update) ? [update.success] : []))
  return {
    ...identitiesOf(targeted.map(({ patch }) => ({ patch: Result.succeed(patch) }))),
    ids: [...new Set(targeted.map(({ contactId }) => contactId))],
  }
}

/** Nobody is made. Whoever has an item's email or phone refuses it, unless it is the contact itself. */
export const decideUpdates = (items: ReadonlyArray<ReadUpdate>, facts: ContactFacts): BatchDecision<UpdateResult> => {
  const people = new BatchContacts(facts)
  const results = items.map(({ update }): UpdateResult => {
    if (Result.isFailure(update)) return rejected(update.failure)
    const { contactId, patch } = update.success
    const contact = people.find(contactId)
    if (contact === undefined) return rejected(notFound)
    const [byEmail, byPhone] = people.whoIs(patch)
    if (byEmail !== undefined && byEmail.id !== contactId) return rejected(conflict(byEmail, "email"))
    if (byPhone !== undefined && byPhone.id !== contactId) return rejected(conflict(byPhone, "phone"))
    const cleared = whatMustStay(contact, patch)
    if (cleared.length > 0) return rejected(refusal(cleared))
    return { status: "updated", contact: people.update(contact, patch) }
  })
  return { change: people.change(), results }
}

/** What the patch clears, if that would leave nothing to know the contact by. */
const whatMustStay = (contact: Contact, patch: ContactPatch): ReadonlyArray<ItemIssue> => {
  const email = patch.email === undefined ? contact.email : patch.email
  const phone = patch.phone === undefined ? contact.phone : patch.phone
  if (email !== null || phone !== null) return []
  return (["email", "phone"] as const)
    .filter((path) => patch[path] === null)
    .map((path) => ({
      path,
      code: "INVALID_ITEM",
      message: "can't be cleared: the contact would have neither email nor phone",
    }))
}
