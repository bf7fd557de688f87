// The contacts of a batch while it is decided, indexed by id, email and phone, and the steps so far.
import type { DateTime } from "effect"
import type { ContactId } from "../../kernel/Ids.ts"
import type { ContactFacts } from "./Batch.ts"
import type { Contact } from "../Contact.ts"
import { type ContactPatch, type ContactSource, newContact, patchContact } from "../ContactPatch.ts"
import { ContactsChange, type ContactStep } from "../ContactsChange.ts"

export class BatchContacts {
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

  change(): ContactsChange {
    return ContactsChange.of(this.#steps)
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
