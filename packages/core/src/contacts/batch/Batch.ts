// Facts and results of batch decisions (`BatchCreates.ts` and its siblings). Items are processed one after another: each
// sees the contacts of the earlier ones. API batches, chunks of imports and form submissions are decided this way.
import { type DateTime, Result } from "effect"
import type { ContactId } from "../../kernel/Ids.ts"
import type { Contact } from "../Contact.ts"
import type { ContactsChange } from "../ContactsChange.ts"
import { type ItemErrorCode, type ItemIssue, type ItemRefusal, type ReadItem, refusal } from "./ContactItem.ts"

/** Identities of contacts: normalised email addresses and E.164 phone numbers. */
export interface Identities {
  readonly emails: ReadonlyArray<string>
  readonly phones: ReadonlyArray<string>
}

/** The identities of all items, each once: lock and read them before the decision. */
export const identitiesOf = (items: ReadonlyArray<Pick<ReadItem, "patch">>): Identities => {
  const emails = new Set<string>()
  const phones = new Set<string>()
  for (const { patch } of items) {
    if (Result.isFailure(patch)) continue
    if (patch.success.email) emails.add(patch.success.email.normalized)
    if (patch.success.phone) phones.add(patch.success.phone)
  }
  return { emails: [...emails], phones: [...phones] }
}

/** The existing contacts and the current time. */
export interface ContactFacts {
  /** All contacts of the workspace that the items name by id, email or phone, locked (`ContactStore`). */
  readonly existing: ReadonlyArray<Contact>
  readonly now: DateTime.Utc
}

export interface BatchFacts extends ContactFacts {
  /** Ids for new contacts: at least one for each item. */
  readonly ids: ReadonlyArray<ContactId>
}

export interface Rejected {
  readonly status: "rejected"
  readonly refusal: ItemRefusal
}

/** The result of an item. `contact` is its state after that item. */
export type ItemResult = { readonly status: "created" | "updated" | "skipped"; readonly contact: Contact } | Rejected

export interface BatchDecision<Result = ItemResult> {
  readonly change: ContactsChange
  /** One for each item, in their order. */
  readonly results: ReadonlyArray<Result>
}

export const rejected = (why: ItemRefusal): Rejected => ({ status: "rejected", refusal: why })

const oneIssue = (path: string, code: ItemErrorCode, message: string): ReadonlyArray<ItemIssue> => [
  { path, code, message },
]

/** The item has neither email nor phone. */
export const missingIdentity: ItemRefusal = refusal(oneIssue("", "INVALID_ITEM", "must have an email or a phone"))

/** The workspace has no such contact. A contact of another workspace gets the same refusal. */
export const notFound: ItemRefusal = refusal(oneIssue("contact_id", "NOT_FOUND", "is not a contact of this workspace"))

/** The item's email or phone belongs to another contact. */
export const conflict = (contact: Contact, path: "email" | "phone"): ItemRefusal =>
  refusal(oneIssue(path, "conflict", "belongs to another contact of this workspace"), {
    contactId: contact.id,
    displayName: contact.displayName,
    email: contact.email,
    phone: contact.phone,
  })
