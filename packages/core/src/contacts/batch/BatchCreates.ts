// The decision over a batch of new contacts.
import { Result } from "effect"
import { type BatchDecision, type BatchFacts, conflict, type ItemResult, missingIdentity, rejected } from "./Batch.ts"
import type { ContactSource } from "../ContactPatch.ts"
import type { ReadItem } from "./ContactItem.ts"
import { BatchContacts } from "./BatchContacts.ts"

/** Creates contacts only. An item whose email or phone belongs to a contact is rejected. */
export const decideCreates = (
  items: ReadonlyArray<ReadItem>,
  facts: BatchFacts,
  options: { readonly source: ContactSource },
): BatchDecision => {
  const contacts = new BatchContacts(facts, facts.ids)
  const results = items.map(({ patch: read }): ItemResult => {
    if (Result.isFailure(read)) return rejected(read.failure)
    const patch = read.success
    if (!patch.email && !patch.phone) return rejected(missingIdentity)
    const [byEmail, byPhone] = contacts.findByIdentity(patch)
    const taken = byEmail ?? byPhone
    if (taken !== undefined) return rejected(conflict(taken, byEmail === undefined ? "phone" : "email"))
    return { status: "created", contact: contacts.create(patch, options.source) }
  })
  return { change: contacts.change(), results }
}
