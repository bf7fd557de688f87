// Tests that a batch is decided as if its items came one after another.
import { sampled } from "@tentpole/core/contract"
import {
  apiCreate,
  apiUpsert,
  type BatchDecision,
  type BatchFacts,
  decideUpserts,
  identitiesOf,
  type ItemResult,
  type UpsertOptions,
} from "@tentpole/core/contacts/batch/Batch"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { type ContactPatch, newContact, patchContact, withoutFilled } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import type { ReadItem } from "@tentpole/core/contacts/batch/ContactItem"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertSound, emails, id, ids, later, now, phones, read, start, written } from "../Batches.ts"

const Item = Schema.Struct({
  email: Schema.optionalKey(Schema.Literals(emails)),
  phone: Schema.optionalKey(Schema.Literals(phones)),
  city: Schema.optionalKey(Schema.NullOr(Schema.Literals(["Bern", "Rome"]))),
  unsubscribed: Schema.optionalKey(Schema.Boolean),
})
const Items = Schema.Array(Item).check(Schema.isMaxLength(12))
const Options = Schema.Struct({
  source: Schema.Literals(["api", "import", "form"]),
  match: Schema.Literals(["email_first", "email_or_phone"]),
  splitIdentity: Schema.Literals(["reject", "email_wins"]),
  duplicates: Schema.Literals(["update", "skip"]),
  skipIfFilled: Schema.Literals(["all", "none", "city"]),
})
const optionsOf = ({ skipIfFilled, ...rest }: typeof Options.Type): UpsertOptions => ({
  ...rest,
  skipIfFilled: skipIfFilled === "all" ? "all" : new Set(skipIfFilled === "city" ? ["city"] : []),
})

type Decide = (items: ReadonlyArray<ReadItem>, facts: BatchFacts) => BatchDecision

const known = (people: ReadonlyArray<Contact>, items: ReadonlyArray<ReadItem>) => {
  const identities = identitiesOf(items)
  return people.filter(
    ({ emailNormalized, phone }) =>
      (emailNormalized !== null && identities.emails.includes(emailNormalized)) ||
      (phone !== null && identities.phones.includes(phone)),
  )
}

const inOneGo = (decide: Decide, people: ReadonlyArray<Contact>, items: ReadonlyArray<ReadItem>) => {
  const { change, results } = decide(items, {
    existing: known(people, items),
    ids: ids.slice(people.length),
    now: later,
  })
  return { people: written(people, change), results, activities: change.activities, resubscribed: change.resubscribed }
}

const oneByOne = (decide: Decide, people: ReadonlyArray<Contact>, items: ReadonlyArray<ReadItem>) =>
  items.reduce<{
    readonly people: ReadonlyArray<Contact>
    readonly results: ReadonlyArray<ItemResult>
    readonly activities: ContactsChange["activities"]
    readonly resubscribed: ContactsChange["resubscribed"]
  }>(
    (so, item) => {
      const step = inOneGo(decide, so.people, [item])
      return {
        people: step.people,
        results: [...so.results, ...step.results],
        activities: [...so.activities, ...step.activities],
        resubscribed: [...so.resubscribed, ...step.resubscribed],
      }
    },
    { people, results: [], activities: [], resubscribed: [] },
  )

const runs = { arbitrary: { runs: sampled(3000) } }

describe("Contact batch", () => {
  it.prop(
    "of creates equals its items one by one",
    [Items, Items],
    ([before, items]) => {
      const decide: Decide = (each, facts) => decideUpserts(each, facts, apiCreate)
      const [whole, steps] = [inOneGo, oneByOne].map((go) => go(decide, start(before), items.map(read)))
      assert.deepStrictEqual(whole, steps)
      assertSound(whole?.people ?? [])
    },
    runs,
  )

  it.prop(
    "of upserts equals its items one by one, with any options",
    [Items, Items, Options],
    ([before, items, chosen]) => {
      const options = optionsOf(chosen)
      const decide: Decide = (each, facts) => decideUpserts(each, facts, options)
      const [whole, steps] = [inOneGo, oneByOne].map((go) => go(decide, start(before), items.map(read)))
      assert.deepStrictEqual(whole, steps)
      assertSound(whole?.people ?? [])
    },
    runs,
  )

  it.prop(
    "changes no contact that it has to skip, and overwrites nothing that it may only fill",
    [Items, Items, Options],
    ([before, items, chosen]) => {
      const people = start(before)
      for (const options of [
        { ...optionsOf(chosen), duplicates: "skip" } as const,
        { ...optionsOf(chosen), skipIfFilled: "all" } as const,
      ]) {
        const after = inOneGo((each, facts) => decideUpserts(each, facts, options), people, items.map(read)).people
        for (const contact of people) {
          const now = after.find((each) => each.id === contact.id)
          if (options.duplicates === "skip") assert.deepStrictEqual(now, contact)
          for (const key of ["city", "email", "phone"] as const) {
            if (contact[key] !== null) assert.strictEqual(now?.[key], contact[key])
          }
          if (contact.unsubscribed) assert.isTrue(now?.unsubscribed)
        }
      }
    },
  )

  it.prop("answers for each item and names the conflicting contact", [Items, Items], ([before, items]) => {
    const people = start(before)
    const { results } = inOneGo((each, facts) => decideUpserts(each, facts, apiUpsert), people, items.map(read))
    assert.strictEqual(results.length, items.length)
    for (const result of results) {
      if (result.status !== "rejected") continue
      assert.strictEqual(result.refusal.code === "conflict", result.refusal.existing !== null)
    }
  })
})

const upsert = (people: ReadonlyArray<Contact>, options: Partial<UpsertOptions>, ...items: ReadonlyArray<object>) =>
  inOneGo((each, facts) => decideUpserts(each, facts, { ...apiUpsert, ...options }), people, items.map(read))
const statuses = ({ results }: { readonly results: ReadonlyArray<ItemResult> }) =>
  results.map((result) => (result.status === "rejected" ? result.refusal.code : result.status))

describe("Upsert", () => {
  const people = start([
    { email: "a@x.test", phone: "+14152000001", city: "Bern" },
    { email: "b@x.test" },
    { phone: "+14152000003" },
  ])

  it("matches by email, and by phone only without an email", () => {
    assert.deepStrictEqual(
      statuses(
        upsert(
          people,
          {},
          { email: "A@X.TEST" },
          { phone: "+14152000001" },
          { email: "new@x.test" },
          { phone: "+14152000009" },
        ),
      ),
      ["updated", "updated", "created", "created"],
    )
  })

  it("never changes the contact of the phone when the item has another email", () => {
    for (const item of [
      { email: "new@x.test", phone: "+14152000001" },
      { email: "b@x.test", phone: "+14152000003" },
    ]) {
      const after = upsert(people, {}, { ...item, city: "Rome" })
      assert.deepStrictEqual([statuses(after), after.people], [["conflict"], people])
    }
  })

  it("of an import matches by email or phone and adds the other", () => {
    const after = upsert(people, { match: "email_or_phone" }, { email: "new@x.test", phone: "+14152000003" })
    assert.deepStrictEqual([statuses(after), after.people[2]?.email], [["updated"], "new@x.test"])
    const split = upsert(people, { match: "email_or_phone" }, { email: "b@x.test", phone: "+14152000003" })
    assert.deepStrictEqual(statuses(split), ["conflict"])
  })

  it("of a form leaves out the phone of another contact", () => {
    const options = { match: "email_or_phone", splitIdentity: "email_wins", skipIfFilled: "all" } as const
    const after = upsert(people, options, { email: "b@x.test", phone: "+14152000003", city: "Rome" })
    assert.deepStrictEqual(
      [statuses(after), after.people[1]?.phone, after.people[1]?.city],
      [["updated"], null, "Rome"],
    )
    assert.deepStrictEqual(after.people[2], people[2])
  })

  it("keeps the spelling of the email that it matched", () => {
    assert.strictEqual(upsert(people, {}, { email: " A@X.test ", city: "Rome" }).people[0]?.email, "a@x.test")
  })

  it("writes nothing when nothing changes", () => {
    const after = upsert(people, {}, { email: "a@x.test", city: "Bern", phone: "+14152000001" })
    assert.deepStrictEqual([statuses(after), after.people, after.activities], [["updated"], people, []])
  })

  it("refuses to leave a contact without email and phone", () => {
    assert.deepStrictEqual(statuses(upsert(people, {}, { phone: "", email: "" }, { city: "x" })), [
      "INVALID_ITEM",
      "INVALID_ITEM",
    ])
  })
})

describe("Contact change", () => {
  const base: ContactPatch = {
    email: { written: "A@x.test", normalized: "a@x.test" },
    customFields: new Map([["n", 1]]),
  }
  const contact = { ...newContact(id(1), base, "api", now), marketingEmailInvalid: true }

  it("resets the state of an address for a new address, but not for another spelling", () => {
    const spelt = patchContact(contact, { email: { written: "a@X.test", normalized: "a@x.test" } }, later)
    assert.deepStrictEqual([spelt.email, spelt.marketingEmailInvalid], ["a@X.test", true])
    const moved = patchContact(contact, { email: { written: "b@x.test", normalized: "b@x.test" } }, later)
    assert.deepStrictEqual([moved.emailNormalized, moved.marketingEmailInvalid], ["b@x.test", false])
  })

  it("returns the same contact when nothing changes", () => {
    assert.strictEqual(patchContact(contact, { ...base, city: null }, later), contact)
  })

  it("never goes back in time", () => {
    const after = patchContact({ ...contact, updatedAt: later }, { city: "x" }, now)
    assert.deepStrictEqual(after.updatedAt, later)
  })

  it("fills only empty values when it may only fill, including an opt-out", () => {
    const patch = {
      city: "x",
      email: null,
      unsubscribed: true,
      customFields: new Map([
        ["n", 2],
        ["m", 3],
      ]),
    }
    assert.deepStrictEqual(withoutFilled(contact, patch, "all"), {
      city: "x",
      unsubscribed: true,
      customFields: new Map([["m", 3]]),
    })
    assert.deepStrictEqual(withoutFilled({ ...contact, unsubscribed: true }, { unsubscribed: false }, "all"), {})
    assert.deepStrictEqual(withoutFilled(contact, patch, new Set(["custom_fields.n"])), {
      ...patch,
      customFields: new Map([["m", 3]]),
    })
  })

  it("dies when its steps do not follow each other or leave no contact", () => {
    const after = patchContact(contact, { city: "x" }, later)
    const step = { before: contact, after, at: later }
    assert.throws(() => ContactsChange.of([step, step]))
    assert.throws(() => ContactsChange.of([{ before: contact, after: { ...contact, id: id(2) }, at: later }]))
    assert.throws(() => ContactsChange.of([{ before: contact, after: { ...after, email: null }, at: later }]))
  })

  it("writes events of a step that a later step of the same change undoes", () => {
    const after = patchContact(contact, { city: "x" }, later)
    const undone = patchContact(after, { city: null }, later)
    const change = ContactsChange.of([
      { before: contact, after, at: later },
      { before: after, after: undone, at: later },
    ])
    assert.deepStrictEqual([change.updates, change.activities.length], [[{ before: contact, after: undone }], 2])
    assert.deepStrictEqual(undone, { ...contact, updatedAt: later })
  })
})
