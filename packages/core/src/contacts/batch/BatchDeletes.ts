// The decision over a batch of deletions.
import { Result } from "effect"
import type { ContactId } from "../../kernel/Ids.ts"
import { type BatchDecision, notFound, type ContactFacts, rejected, type Rejected } from "./Batch.ts"
import type { ReadDelete } from "./ContactItem.ts"
import { BatchContacts } from "./BatchContacts.ts"

export type DeleteResult = { readonly status: "deleted"; readonly contactId: ContactId } | Rejected

/** The contacts to lock before the decision (`ContactStore.lockForDeletion`), each once. */
export const contactsToDelete = (items: ReadonlyArray<ReadDelete>): ReadonlyArray<ContactId> => [
  ...new Set(items.flatMap(({ contactId }) => (Result.isSuccess(contactId) ? [contactId.success] : []))),
]

/** A repeated id is not found the second time. */
export const decideDeletes = (items: ReadonlyArray<ReadDelete>, facts: ContactFacts): BatchDecision<DeleteResult> => {
  const contacts = new BatchContacts(facts)
  const results = items.map(({ contactId: read }): DeleteResult => {
    if (Result.isFailure(read)) return rejected(read.failure)
    const contact = contacts.find(read.success)
    if (contact === undefined) return rejected(notFound)
    contacts.remove(contact)
    return { status: "deleted", contactId: contact.id }
  })
  return { change: contacts.change(), results }
}
