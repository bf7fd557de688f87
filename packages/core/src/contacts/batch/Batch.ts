// Decisions over a batch of contacts, as if its items were processed one after another: what an item makes, the next one
// meets. A batch of the API, a chunk of an import and a form's submission are all decided like this; here is what goes into
// the decisions (`BatchCreates.ts` and its siblings), and what comes out of them.
import { type DateTime, Result } from "effect"
import type { ContactId } from "../../kernel/Ids.ts"
import type { Contact } from "../Contact.ts"
import type { ContactsChange } from "../ContactsChange.ts"
import { type ItemErrorCode, type ItemIssue, type ItemRefusal, type ReadItem, refusal } from "./ContactItem.ts"

/** What contacts are known by: normalised addresses, and E.164 numbers. */
export interface Identities {
  readonly emails: ReadonlyArray<string>
  readonly phones: ReadonlyArray<string>
}

/** Everybody whom the items name, each once: whom to lock and read before deciding. */
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

/** Who is there, and when it is. */
export interface ContactFacts {
  /** Everybody of the workspace whom the items name, by id, email or phone, locked (`ContactStore`). */
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

/** What became of an item. The contact is as it stands after that item. */
export type ItemResult = { readonly status: "created" | "updated" | "skipped"; readonly contact: Contact } | Rejected

export interface BatchDecision<Result = ItemResult> {
  readonly change: ContactsChange
  /** One for each item, in their order. */
  readonly results: ReadonlyArray<Result>
}

export const rejected = (why: ItemRefusal): Rejected => ({ status: "rejected", refusal: why })

const sole = (path: string, code: ItemErrorCode, message: string): ReadonlyArray<ItemIssue> => [{ path, code, message }]

/** An item that names nobody. */
export const missingIdentity: ItemRefusal = refusal(sole("", "INVALID_ITEM", "must have an email or a phone"))

/** An item whose contact the workspace does not have; another workspace's reads exactly the same. */
export const notFound: ItemRefusal = refusal(sole("contact_id", "NOT_FOUND", "is not a contact of this workspace"))

/** An item that is to have what somebody else has. */
export const conflict = (contact: Contact, path: "email" | "phone"): ItemRefusal =>
  refusal(sole(path, "conflict", "belongs to another contact of this workspace"), {
    contactId: contact.id,
    displayName: contact.displayName,
    email: contact.email,
    phone: contact.phone,
  })
