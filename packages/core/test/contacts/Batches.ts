// Fixture of batch tests: a few contacts with few identities, and a store in memory.
import type { Contact } from "@tentpole/core/contacts/Contact"
import { apiCreate, decideUpserts } from "@tentpole/core/contacts/batch/Batch"
import type { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { type ReadItem, readItem } from "@tentpole/core/contacts/batch/ContactItem"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { assert } from "@effect/vitest"
import { DateTime } from "effect"

export const id = (n: number) => ContactId.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)
export const ids = Array.from({ length: 100 }, (_, n) => id(n))
export const now = DateTime.makeUnsafe(1_000)
export const later = DateTime.makeUnsafe(2_000)

export const how = { values: "json", fields: new Map(), defaultCountry: "US", allowNotEditable: false } as const
export const read = (item: object): ReadItem => readItem(item, how)

export const emails = ["a@x.test", "A@X.test", "b@x.test", "c@x.test", "", "bad"]
export const phones = ["+14152000001", "415 200 0001", "+14152000002", "+14152000003", ""]
/** A workspace's contacts after a change, as a store would have them. */
export const written = (
  people: ReadonlyArray<Contact>,
  { creates, updates, deletes }: ContactsChange,
): ReadonlyArray<Contact> => {
  const after = new Map(people.map((contact) => [contact.id, contact]))
  for (const { before } of deletes) {
    assert.deepStrictEqual(after.get(before.id), before, "a deletion begins with what was there")
    after.delete(before.id)
  }
  for (const { before, after: it } of updates) {
    assert.deepStrictEqual(after.get(it.id), before, "an update begins with what was there")
    after.set(it.id, it)
  }
  for (const contact of creates) {
    assert.isFalse(after.has(contact.id))
    after.set(contact.id, contact)
  }
  return [...after.values()]
}

export const start = (items: ReadonlyArray<object>): ReadonlyArray<Contact> =>
  decideUpserts(items.map(read), { existing: [], ids, now }, apiCreate).change.creates

export const assertSound = (people: ReadonlyArray<Contact>) => {
  for (const key of ["emailNormalized", "phone"] as const) {
    const held = people.flatMap((contact) => (contact[key] === null ? [] : [contact[key]]))
    assert.strictEqual(new Set(held).size, held.length, `${key} is unique`)
  }
  for (const contact of people) assert.isTrue(contact.email !== null || contact.phone !== null)
}
