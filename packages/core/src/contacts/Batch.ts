// Decisions over a batch of contacts, as if its items were processed one after another: what an item makes, the next one
// meets. A batch of the API, a chunk of an import and a form's submission are all decided here.
import { type DateTime, Result } from "effect"
import type { ContactId } from "../Ids.ts"
import type { Contact } from "./Contact.ts"
import {
  type ContactPatch,
  type ContactSource,
  newContact,
  patchContact,
  type SkipIfFilled,
  withoutFilled,
} from "./ContactPatch.ts"
import { ContactsChange, type ContactStep } from "./ContactsChange.ts"
import { type ItemRefusal, type ReadItem, refusal } from "./Item.ts"

/** What contacts are known by: normalised addresses, and E.164 numbers. */
export interface Identities {
  readonly emails: ReadonlyArray<string>
  readonly phones: ReadonlyArray<string>
}

/** Everybody whom the items name, each once: whom to lock and read before deciding. */
export const identitiesOf = (items: ReadonlyArray<ReadItem>): Identities => {
  const emails = new Set<string>()
  const phones = new Set<string>()
  for (const { patch } of items) {
    if (Result.isFailure(patch)) continue
    if (patch.success.email) emails.add(patch.success.email.normalized)
    if (patch.success.phone) phones.add(patch.success.phone)
  }
  return { emails: [...emails], phones: [...phones] }
}

export interface BatchFacts {
  /** Everybody of the workspace who has one of the items' identities, locked (`ContactStore.lock`). */
  readonly existing: ReadonlyArray<Contact>
  /** Ids for new contacts: at least one for each item. */
  readonly ids: ReadonlyArray<ContactId>
  readonly now: DateTime.Utc
}

/** What became of an item. The contact is as it stands after that item. */
export type ItemResult =
  | { readonly status: "created" | "updated" | "skipped"; readonly contact: Contact }
  | { readonly status: "rejected"; readonly refusal: ItemRefusal }

export interface BatchDecision {
  readonly change: ContactsChange
  /** One for each item, in their order. */
  readonly results: ReadonlyArray<ItemResult>
}

/** New contacts only: whoever has the item's email or phone already refuses it. */
export const decideCreates = (
  items: ReadonlyArray<ReadItem>,
  facts: BatchFacts,
  options: { readonly source: ContactSource },
): BatchDecision => {
  const people = new People(facts)
  const results = items.map(({ patch: read }): ItemResult => {
    if (Result.isFailure(read)) return { status: "rejected", refusal: read.failure }
    const patch = read.success
    if (!patch.email && !patch.phone) return { status: "rejected", refusal: nobody }
    const [byEmail, byPhone] = people.whoIs(patch)
    const taken = byEmail ?? byPhone
    if (taken !== undefined) return { status: "rejected", refusal: conflict(taken, byEmail !== undefined) }
    return { status: "created", contact: people.create(patch, options.source) }
  })
  return { change: people.change(), results }
}

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
  const people = new People(facts)
  const results = items.map(({ patch }): ItemResult =>
    Result.isFailure(patch) ? { status: "rejected", refusal: patch.failure } : upsert(people, patch.success, options),
  )
  return { change: people.change(), results }
}

const upsert = (people: People, patch: ContactPatch, options: UpsertOptions): ItemResult => {
  if (!patch.email && !patch.phone) return { status: "rejected", refusal: nobody }
  const [byEmail, byPhone] = people.whoIs(patch)
  const emailDecides = options.match === "email_first" && Boolean(patch.email)
  const found = emailDecides ? byEmail : (byEmail ?? byPhone)
  if (byPhone !== undefined && byPhone.id !== found?.id) {
    if (options.splitIdentity === "reject") return { status: "rejected", refusal: conflict(byPhone, false) }
    const { phone: _, ...withoutPhone } = patch
    return upsert(people, withoutPhone, options)
  }
  if (found === undefined) return { status: "created", contact: people.create(patch, options.source) }
  if (options.duplicates === "skip") return { status: "skipped", contact: found }
  const { email: _, ...others } = patch
  const fields = byEmail === undefined ? patch : others
  return { status: "updated", contact: people.update(found, withoutFilled(found, fields, options.skipIfFilled)) }
}

const nobody: ItemRefusal = refusal([
  { path: "", code: "INVALID_ITEM", message: "needs an email or a phone: nobody can be known without either" },
])

const conflict = (contact: Contact, byEmail: boolean): ItemRefusal => {
  const path = byEmail ? "email" : "phone"
  const issue = { path, code: "conflict", message: "belongs to another contact of this workspace" } as const
  return refusal([issue], {
    contactId: contact.id,
    displayName: contact.displayName,
    email: contact.email,
    phone: contact.phone,
  })
}

/** Who is there while a batch is decided, by their identities, and what was done to whom. */
class People {
  readonly #byEmail = new Map<string, Contact>()
  readonly #byPhone = new Map<string, Contact>()
  readonly #steps: Array<ContactStep> = []
  readonly #ids: Iterator<ContactId>
  readonly #now: DateTime.Utc

  constructor({ existing, ids, now }: BatchFacts) {
    this.#ids = ids[Symbol.iterator]()
    this.#now = now
    for (const contact of existing) this.#put(contact)
  }

  /** Who has the patch's email, and who has its phone. */
  whoIs({ email, phone }: ContactPatch): readonly [byEmail: Contact | undefined, byPhone: Contact | undefined] {
    return [email ? this.#byEmail.get(email.normalized) : undefined, phone ? this.#byPhone.get(phone) : undefined]
  }

  create(patch: ContactPatch, source: ContactSource): Contact {
    const id = this.#ids.next()
    if (id.done === true) throw new Error("a batch needs an id for each of its items")
    const contact = newContact(id.value, patch, source, this.#now)
    this.#step(null, contact, false)
    return contact
  }

  update(before: Contact, patch: ContactPatch): Contact {
    const after = patchContact(before, patch, this.#now)
    const resubscribes = patch.unsubscribed === false
    if (after !== before || resubscribes) this.#step(before, after, resubscribes)
    return after
  }

  change(): ContactsChange {
    return ContactsChange.of(this.#steps)
  }

  #step(before: Contact | null, after: Contact, resubscribes: boolean): void {
    if (before?.emailNormalized) this.#byEmail.delete(before.emailNormalized)
    if (before?.phone) this.#byPhone.delete(before.phone)
    this.#put(after)
    this.#steps.push({ before, after, at: this.#now, resubscribes })
  }

  #put(contact: Contact): void {
    if (contact.emailNormalized !== null) this.#byEmail.set(contact.emailNormalized, contact)
    if (contact.phone !== null) this.#byPhone.set(contact.phone, contact)
  }
}
