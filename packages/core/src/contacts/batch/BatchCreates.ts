// A batch of new contacts, decided.
import { Result } from "effect"
import { type BatchDecision, type BatchFacts, conflict, type ItemResult, missingIdentity, rejected } from "./Batch.ts"
import type { ContactSource } from "../ContactPatch.ts"
import type { ReadItem } from "./ContactItem.ts"
import { BatchContacts } from "./BatchContacts.ts"

/** New contacts only: whoever has the item's email or phone already refuses it. */
export const decideCreates = (
  items: ReadonlyArray<ReadItem>,
  facts: BatchFacts,
  options: { readonly source: ContactSource },
): BatchDecision => {
  const people = new BatchContacts(facts, facts.ids)
  const results = items.map(({ patch: read }): ItemResult => {
    if (Result.isFailure(read)) return rejected(read.failure)
    const patch = read.success
    if (!patch.email && !patch.phone) return rejected(missingIdentity)
    const [byEmail, byPhone] = people.whoIs(patch)
    const taken = byEmail ?? byPhone
    if (taken !== undefined) return rejected(conflict(taken, byEmail === undefined ? "phone" : "email"))
    return { status: "created", contact: people.create(patch, options.source) }
  })
  return { change: people.change(), results }
}
