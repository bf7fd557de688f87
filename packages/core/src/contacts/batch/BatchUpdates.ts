// The decision over a batch of updates by contact id.
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

/** The contacts to lock and read before the decision: those of the ids, and those with the new identities. */
export const contactsToUpdate = (
  items: ReadonlyArray<ReadUpdate>,
): Identities & { readonly ids: ReadonlyArray<ContactId> } => {
  const targeted = items.flatMap(({ update }) => (Result.isSuccess(update) ? [update.success] : []))
  return {
    ...identitiesOf(targeted.map(({ patch }) => ({ patch: Result.succeed(patch) }))),
    ids: [...new Set(targeted.map(({ contactId }) => contactId))],
  }
}

/** Creates no contact. An item whose email or phone belongs to another contact is rejected. */
export const decideUpdates = (items: ReadonlyArray<ReadUpdate>, facts: ContactFacts): BatchDecision<UpdateResult> => {
  const contacts = new BatchContacts(facts)
  const results = items.map(({ update }): UpdateResult => {
    if (Result.isFailure(update)) return rejected(update.failure)
    const { contactId, patch } = update.success
    const contact = contacts.find(contactId)
    if (contact === undefined) return rejected(notFound)
    const [byEmail, byPhone] = contacts.findByIdentity(patch)
    if (byEmail !== undefined && byEmail.id !== contactId) return rejected(conflict(byEmail, "email"))
    if (byPhone !== undefined && byPhone.id !== contactId) return rejected(conflict(byPhone, "phone"))
    const cleared = identityIssues(contact, patch)
    if (cleared.length > 0) return rejected(refusal(cleared))
    return { status: "updated", contact: contacts.update(contact, patch) }
  })
  return { change: contacts.change(), results }
}

/** Issues of the cleared fields, if the contact would have neither email nor phone. */
const identityIssues = (contact: Contact, patch: ContactPatch): ReadonlyArray<ItemIssue> => {
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
