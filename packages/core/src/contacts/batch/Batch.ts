// Decisions about batches of contacts: creates, upserts, updates and deletes. Items are processed one after another: each sees
// the contacts of the earlier ones. API batches, chunks of imports and form submissions are decided this way.
import { type DateTime, Result } from "effect"
import type { ContactId } from "../../kernel/Ids.ts"
import type { Contact } from "../Contact.ts"
import {
  type ContactPatch,
  type ContactSource,
  newContact,
  patchContact,
  type SkipIfFilled,
  withoutFilled,
} from "../ContactPatch.ts"
import { ContactsChange, type ContactStep } from "../ContactsChange.ts"
import {
  type ItemErrorCode,
  type ItemIssue,
  type ItemRefusal,
  type ReadDelete,
  type ReadItem,
  type ReadUpdate,
  refusal,
} from "./ContactItem.ts"

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

export interface ContactFacts {
  /** All contacts of the workspace that the items name by id, email or phone, locked (`ContactStore`). */
  readonly existing: ReadonlyArray<Contact>
  /** Former ids of merged contacts that the items name, each with the contact that has taken it over. */
  readonly merged?: ReadonlyMap<ContactId, ContactId>
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

export type UpdateResult = { readonly status: "updated"; readonly contact: Contact } | Rejected
export type DeleteResult = { readonly status: "deleted"; readonly contactId: ContactId } | Rejected

export interface BatchDecision<Result = ItemResult> {
  readonly change: ContactsChange
  /** One for each item, in their order. */
  readonly results: ReadonlyArray<Result>
}

const rejected = (why: ItemRefusal): Rejected => ({ status: "rejected", refusal: why })

const oneIssue = (path: string, code: ItemErrorCode, message: string) => [{ path, code, message }]

const missingIdentity: ItemRefusal = refusal(oneIssue("", "INVALID_ITEM", "must have an email or a phone"))

/** The workspace has no such contact. A contact of another workspace gets the same refusal. */
const notFound = (id: ContactId, { merged }: ContactFacts): ItemRefusal => {
  const mergedInto = merged?.get(id) ?? null
  const message = mergedInto === null ? "is not a contact of this workspace" : `was merged into ${mergedInto}`
  return refusal(oneIssue("contact_id", "NOT_FOUND", message), { mergedInto })
}

const conflict = (contact: Contact, path: "email" | "phone"): ItemRefusal =>
  refusal(oneIssue(path, "conflict", "belongs to another contact of this workspace"), {
    existing: {
      contactId: contact.id,
      displayName: contact.displayName,
      email: contact.email,
      phone: contact.phone,
    },
  })

/** The contacts of a batch while it is decided, indexed by id, email and phone, and the steps so far. */
class BatchContacts {
  readonly #byId = new Map<ContactId, Contact>()
  readonly #byEmail = new Map<string, Contact>()
  readonly #byPhone = new Map<string, Contact>()
  readonly #steps: Array<ContactStep> = []
  readonly #ids: Iterator<ContactId>
  readonly #now: DateTime.Utc

  /** `ids` are for new contacts. */
  constructor({ existing, now }: ContactFacts, ids: ReadonlyArray<ContactId> = []) {
    this.#ids = ids[Symbol.iterator]()
    this.#now = now
    for (const contact of existing) this.#index(contact)
  }

  find(id: ContactId): Contact | undefined {
    return this.#byId.get(id)
  }

  /** The contact with the patch's email, and the contact with its phone. */
  findByIdentity({
    email,
    phone,
  }: ContactPatch): readonly [byEmail: Contact | undefined, byPhone: Contact | undefined] {
    return [email ? this.#byEmail.get(email.normalized) : undefined, phone ? this.#byPhone.get(phone) : undefined]
  }

  create(patch: ContactPatch, source: ContactSource): Contact {
    const id = this.#ids.next()
    if (id.done === true) throw new Error("a batch needs an id for each of its items")
    const contact = newContact(id.value, patch, source, this.#now)
    this.#steps.push({ before: null, after: contact, at: this.#now })
    this.#index(contact)
    return contact
  }

  update(before: Contact, patch: ContactPatch): Contact {
    const after = patchContact(before, patch, this.#now)
    const resubscribes = patch.unsubscribed === false
    if (after === before && !resubscribes) return after
    this.#steps.push({ before, after, at: this.#now, resubscribes })
    this.#unindex(before)
    this.#index(after)
    return after
  }

  remove(before: Contact): void {
    this.#steps.push({ before, after: null, at: this.#now })
    this.#unindex(before)
  }

  /** Decides the items in their order. Items that could not be decoded are rejected. */
  decide<Item, Done>(
    items: ReadonlyArray<Result.Result<Item, ItemRefusal>>,
    decideItem: (item: Item) => Done | Rejected,
  ): BatchDecision<Done | Rejected> {
    const results = items.map((item) => (Result.isFailure(item) ? rejected(item.failure) : decideItem(item.success)))
    return { results, change: ContactsChange.of(this.#steps) }
  }

  #unindex(contact: Contact): void {
    this.#byId.delete(contact.id)
    if (contact.emailNormalized !== null) this.#byEmail.delete(contact.emailNormalized)
    if (contact.phone !== null) this.#byPhone.delete(contact.phone)
  }

  #index(contact: Contact): void {
    this.#byId.set(contact.id, contact)
    if (contact.emailNormalized !== null) this.#byEmail.set(contact.emailNormalized, contact)
    if (contact.phone !== null) this.#byPhone.set(contact.phone, contact)
  }
}

export interface UpsertOptions {
  /** The `original_source` of created contacts, unless the item has one. */
  readonly source: ContactSource
  /** `email_first`: the phone matches only items without email (the API's upsert). `email_or_phone`: either matches. */
  readonly match: "email_first" | "email_or_phone"
  /**
   * An item whose email and phone belong to two contacts: `reject` it, or let the email win and drop the phone (forms, which
   * can't report an error). Under `email_first` a new email with the phone of an existing contact counts as such an item.
   */
  readonly splitIdentity: "reject" | "email_wins"
  /** What happens to an item that matches a contact, contacts of earlier items of the batch included. */
  readonly duplicates: "update" | "skip" | "reject"
  /** Fields of matched contacts that are filled but not overwritten. */
  readonly skipIfFilled: SkipIfFilled
  /** Created contacts get no marketing until they confirm, unless the item says whether they want it. */
  readonly createsUnconfirmed?: boolean
}

export const apiUpsert: UpsertOptions = {
  source: "api",
  match: "email_first",
  splitIdentity: "reject",
  duplicates: "update",
  skipIfFilled: new Set(),
}

/** Creation by the API. An item whose email or phone belongs to a contact is rejected. */
export const apiCreate: UpsertOptions = { ...apiUpsert, match: "email_or_phone", duplicates: "reject" }

/** A contact matched by email keeps its spelling. If the email decides, the contact with the phone does not change. */
export const decideUpserts = (
  items: ReadonlyArray<ReadItem>,
  facts: BatchFacts,
  options: UpsertOptions,
): BatchDecision => {
  const contacts = new BatchContacts(facts, facts.ids)
  return contacts.decide(
    items.map(({ patch }) => patch),
    (patch) => upsert(contacts, patch, options),
  )
}

const upsert = (contacts: BatchContacts, patch: ContactPatch, options: UpsertOptions): ItemResult => {
  if (!patch.email && !patch.phone) return rejected(missingIdentity)
  const [byEmail, byPhone] = contacts.findByIdentity(patch)
  const emailDecides = options.match === "email_first" && Boolean(patch.email)
  const found = emailDecides ? byEmail : (byEmail ?? byPhone)
  if (found !== undefined && options.duplicates === "reject") {
    return rejected(conflict(found, byEmail === undefined ? "phone" : "email"))
  }
  if (byPhone !== undefined && byPhone.id !== found?.id) {
    if (options.splitIdentity === "reject") return rejected(conflict(byPhone, "phone"))
    const { phone: _, ...withoutPhone } = patch
    return upsert(contacts, withoutPhone, options)
  }
  if (found === undefined) {
    const unconfirmed = options.createsUnconfirmed === true && (patch.marketingEmailSubscribed ?? null) === null
    const fields = unconfirmed ? { ...patch, marketingEmailSubscribed: false } : patch
    return { status: "created", contact: contacts.create(fields, options.source) }
  }
  if (options.duplicates === "skip") return { status: "skipped", contact: found }
  const { email: _, ...others } = patch
  const fields = byEmail === undefined ? patch : others
  return { status: "updated", contact: contacts.update(found, withoutFilled(found, fields, options.skipIfFilled)) }
}

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
  const updates = items.map(({ update }) => update)
  return contacts.decide(updates, ({ contactId, patch }): UpdateResult => {
    const contact = contacts.find(contactId)
    if (contact === undefined) return rejected(notFound(contactId, facts))
    const [byEmail, byPhone] = contacts.findByIdentity(patch)
    if (byEmail !== undefined && byEmail.id !== contactId) return rejected(conflict(byEmail, "email"))
    if (byPhone !== undefined && byPhone.id !== contactId) return rejected(conflict(byPhone, "phone"))
    const cleared = identityIssues(contact, patch)
    if (cleared.length > 0) return rejected(refusal(cleared))
    return { status: "updated", contact: contacts.update(contact, patch) }
  })
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

/** The contacts to lock before the decision (`ContactStore.lockForDeletion`), each once. */
export const contactsToDelete = (items: ReadonlyArray<ReadDelete>): ReadonlyArray<ContactId> => [
  ...new Set(items.flatMap(({ contactId }) => (Result.isSuccess(contactId) ? [contactId.success] : []))),
]

/** A repeated id is not found the second time. */
export const decideDeletes = (items: ReadonlyArray<ReadDelete>, facts: ContactFacts): BatchDecision<DeleteResult> => {
  const contacts = new BatchContacts(facts)
  const targets = items.map(({ contactId }) => contactId)
  return contacts.decide(targets, (contactId): DeleteResult => {
    const contact = contacts.find(contactId)
    if (contact === undefined) return rejected(notFound(contactId, facts))
    contacts.remove(contact)
    return { status: "deleted", contactId }
  })
}
