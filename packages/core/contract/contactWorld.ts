// What the laws of contacts begin with, and share.
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { Contact } from "../src/contacts/Contact.ts"
import type { ContactFieldStore } from "../src/contacts/ContactFieldStore.ts"
import { ContactsChange, type ContactStep } from "../src/contacts/ContactsChange.ts"
import { type ContactPatch, newContact, patchContact } from "../src/contacts/ContactPatch.ts"
import { type ContactQuery, ContactStore } from "../src/contacts/ContactStore.ts"
import { parseEmail } from "../src/contacts/Email.ts"
import { ContactId } from "../src/Ids.ts"
import { Outbox } from "../src/Outbox.ts"
import { Transactor } from "../src/Transactor.ts"
import { Fresh } from "./fresh.ts"

export type Ports = ContactStore | ContactFieldStore | Outbox | Transactor | Fresh

export const at = (ms: number) => DateTime.makeUnsafe(ms)
export const email = (text: string) => parseEmail(text) ?? assert.fail(`${text} is no email`)
export const everything: ContactQuery = {
  page: 1,
  limit: 100,
  sort: "created_at",
  order: "desc",
  search: null,
  updatedAfter: null,
}

export const begin = Effect.gen(function* () {
  const fresh = yield* Fresh
  const store = yield* ContactStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace()
  const id = Effect.map(fresh.id, (text) => ContactId.make(text))
  const write = (steps: ReadonlyArray<ContactStep>) => transact(store.apply(workspace, ContactsChange.of(steps)))
  const add = Effect.fnUntraced(function* (patch: ContactPatch, now: DateTime.Utc = at(1_234)) {
    const contact = newContact(yield* id, patch, "api", now)
    yield* write([{ before: null, after: contact, at: now }])
    return contact
  })
  const set = Effect.fnUntraced(function* (before: Contact, patch: ContactPatch, now: DateTime.Utc) {
    const after = patchContact(before, patch, now)
    yield* write([{ before, after, at: now }])
    return after
  })
  return { fresh, store, transact, workspace, id, write, add, set, outbox: yield* Outbox }
})

export const idsOf = (contacts: ReadonlyArray<Contact>) => contacts.map((contact) => contact.id)

export const identitiesOfContact = ({ emailNormalized, phone }: Contact) => ({
  emails: emailNormalized === null ? [] : [emailNormalized],
  phones: phone === null ? [] : [phone],
})
