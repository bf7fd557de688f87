// Tests of updates and deletions of contacts by id in one request.
import { sampled } from "@tentpole/core/contract"
import {
  type BatchDecision,
  type ContactFacts,
  contactsToDelete,
  contactsToUpdate,
  decideDeletes,
  decideUpdates,
} from "@tentpole/core/contacts/batch/Batch"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { refusalOfOne } from "@tentpole/core/contacts/ContactErrors"
import { newContact, patchContact } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import {
  type ItemErrorCode,
  type ItemRefusal,
  readDelete,
  readPatch,
  readUpdate,
  refusal,
} from "@tentpole/core/contacts/batch/ContactItem"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { assertSound, emails, how, id, ids, later, now, phones, start, written } from "../Batches.ts"

const people = start([
  { email: "a@x.test", phone: "+14152000001", city: "Bern" },
  { email: "b@x.test" },
  { phone: "+14152000003" },
])

type Step = {
  readonly people: ReadonlyArray<Contact>
  readonly results: BatchDecision<unknown>["results"]
  readonly events: ContactsChange["events"]
  readonly resubscribed: ContactsChange["resubscribed"]
}

type Go = (people: ReadonlyArray<Contact>, items: ReadonlyArray<object>) => Step

const inOneGo =
  <Item>(
    reading: (item: unknown) => Item,
    named: (items: ReadonlyArray<Item>, contact: Contact) => boolean,
    decide: (items: ReadonlyArray<Item>, facts: ContactFacts) => BatchDecision<unknown>,
  ): Go =>
  (before, items) => {
    const read = items.map(reading)
    const existing = before.filter((contact) => named(read, contact))
    const { change, results } = decide(read, { existing, now: later })
    return { people: written(before, change), results, events: change.events, resubscribed: change.resubscribed }
  }

const updated = inOneGo(
  (item) => readUpdate(item, how),
  (read, { id: own, emailNormalized, phone }) => {
    const identities = contactsToUpdate(read)
    return (
      identities.ids.includes(own) ||
      (emailNormalized !== null && identities.emails.includes(emailNormalized)) ||
      (phone !== null && identities.phones.includes(phone))
    )
  },
  decideUpdates,
)

const deleted = inOneGo(readDelete, (read, contact) => contactsToDelete(read).includes(contact.id), decideDeletes)

const oneByOne = (go: Go, before: ReadonlyArray<Contact>, items: ReadonlyArray<object>): Step =>
  items.reduce<Step>(
    (so, item) => {
      const step = go(so.people, [item])
      return {
        people: step.people,
        results: [...so.results, ...step.results],
        events: [...so.events, ...step.events],
        resubscribed: [...so.resubscribed, ...step.resubscribed],
      }
    },
    { people: before, results: [], events: [], resubscribed: [] },
  )

const named = ["not-an-id", ...ids.slice(0, 5), id(1).toUpperCase()]
const Update = Schema.Struct({
  contact_id: Schema.optionalKey(Schema.Literals(named)),
  email: Schema.optionalKey(Schema.NullOr(Schema.Literals(emails))),
  phone: Schema.optionalKey(Schema.NullOr(Schema.Literals(phones))),
  city: Schema.optionalKey(Schema.NullOr(Schema.Literals(["Bern", "Rome"]))),
  unsubscribed: Schema.optionalKey(Schema.Boolean),
})
const Deletion = Schema.Struct({ contact_id: Schema.optionalKey(Schema.Literals(named)) })
const listOf = <A extends Schema.Top>(item: A) => Schema.Array(item).check(Schema.isMaxLength(12))
const runs = { arbitrary: { runs: sampled(3000) } }

const statuses = ({ results }: Step) =>
  results.map((result) => {
    const { refusal: why, status } = result as { readonly status: string; readonly refusal?: ItemRefusal }
    return why?.code ?? status
  })

describe("Batch of updates", () => {
  it.prop(
    "equals its items one by one, and every contact keeps an email or phone of its own",
    [listOf(Update)],
    ([items]) => {
      const whole = updated(people, items)
      assert.deepStrictEqual(whole, oneByOne(updated, people, items))
      assertSound(whole.people)
    },
    runs,
  )

  it("assigns an email only after an earlier item gave it up", () => {
    const step = updated(people, [
      { contact_id: id(1), email: "a@x.test" },
      { contact_id: id(0), email: "free@x.test" },
      { contact_id: id(1), email: "A@x.test" },
    ])
    assert.deepStrictEqual(statuses(step), ["conflict", "updated", "updated"])
    assert.deepStrictEqual([step.people[0]?.email, step.people[1]?.email], ["free@x.test", "A@x.test"])
  })

  it("names the contact that has the address, and never the updated contact itself", () => {
    const [taken] = updated(people, [{ contact_id: id(1), phone: "415 200 0003" }]).results as ReadonlyArray<{
      readonly refusal: ItemRefusal
    }>
    assert.deepStrictEqual(taken?.refusal.existing?.contactId, id(2))
    assert.deepStrictEqual(
      taken?.refusal.issues.map(({ path }) => path),
      ["phone"],
    )
    const own = updated(people, [{ contact_id: id(0), email: "A@X.TEST", phone: "+14152000001" }])
    assert.deepStrictEqual([statuses(own), own.people[0]?.email], [["updated"], "A@X.TEST"])
  })

  it("refuses to clear the last email or phone, and names the key that would help", () => {
    for (const [item, paths] of [
      [{ contact_id: id(0), email: null, phone: "" }, ["email", "phone"]],
      [{ contact_id: id(1), email: null }, ["email"]],
      [{ contact_id: id(2), phone: "" }, ["phone"]],
    ] satisfies ReadonlyArray<readonly [object, Array<string>]>) {
      const step = updated(people, [item])
      assert.deepStrictEqual(statuses(step), ["INVALID_ITEM"])
      const [result] = step.results as ReadonlyArray<{ readonly refusal: ItemRefusal }>
      assert.deepStrictEqual(
        result?.refusal.issues.map(({ path }) => path),
        paths,
      )
    }
    assert.deepStrictEqual(statuses(updated(people, [{ contact_id: id(0), email: null }])), ["updated"])
    assert.deepStrictEqual(statuses(updated(people, [{ contact_id: id(1), email: null, phone: "+14152000009" }])), [
      "updated",
    ])
  })

  it("reports unknown contacts and accepts ids in capitals", () => {
    assert.deepStrictEqual(
      statuses(
        updated(people, [
          { contact_id: id(9), city: "x" },
          { contact_id: id(1).toUpperCase(), city: "x" },
        ]),
      ),
      ["NOT_FOUND", "updated"],
    )
  })

  it("writes nothing when nothing changes", () => {
    const step = updated(people, [{ contact_id: id(0) }, { contact_id: id(0), city: "Bern", email: "a@x.test" }])
    assert.deepStrictEqual([statuses(step), step.people, step.events], [["updated", "updated"], people, []])
  })
})

describe("Batch of deletions", () => {
  it.prop(
    "equals its items one by one",
    [listOf(Deletion)],
    ([items]) => {
      assert.deepStrictEqual(deleted(people, items), oneByOne(deleted, people, items))
    },
    runs,
  )

  it("writes one event for each deleted contact", () => {
    const step = deleted(people, [{ contact_id: id(1) }, { contact_id: id(9) }, { contact_id: id(1) }, {}])
    assert.deepStrictEqual(statuses(step), ["deleted", "NOT_FOUND", "NOT_FOUND", "INVALID_ITEM"])
    assert.deepStrictEqual(
      step.people.map((contact) => contact.id),
      [id(0), id(2)],
    )
    assert.deepStrictEqual(step.events, [{ type: "contact_deleted", contactId: id(1), at: later, data: {} }])
  })
})

describe("Change of a deleted contact", () => {
  const before = newContact(id(7), { email: { written: "z@x.test", normalized: "z@x.test" } }, "api", now)
  const after = patchContact(before, { city: "x" }, later)
  const made = { before: null, after: before, at: now }
  const altered = { before, after, at: later, resubscribes: true }
  const gone = { before: after, after: null, at: later }

  it("has no timeline entries, which are deleted too, and keeps every event", () => {
    const change = ContactsChange.of([altered, gone])
    assert.deepStrictEqual([change.deletes, change.updates, change.activities], [[{ before, at: later }], [], []])
    assert.deepStrictEqual(
      change.events.map(({ type }) => type),
      ["contact_updated", "contact_deleted"],
    )
    assert.deepStrictEqual(change.resubscribed, ["z@x.test"])
  })

  it("writes no contact that was created and deleted in it", () => {
    const change = ContactsChange.of([made, altered, gone])
    assert.deepStrictEqual([change.creates, change.updates, change.deletes, change.activities], [[], [], [], []])
    assert.deepStrictEqual(
      change.events.map(({ type }) => type),
      ["contact_created", "contact_updated", "contact_deleted"],
    )
  })

  it("allows no step after the deletion", () => {
    assert.throws(() => ContactsChange.of([altered, gone, gone]))
    assert.throws(() => ContactsChange.of([altered, gone, { before: null, after: before, at: later }]))
    assert.throws(() => ContactsChange.of([altered, { before, after: null, at: later }]))
  })
})

describe("Reading items", () => {
  const paths = (read: Result.Result<unknown, ItemRefusal>) =>
    Result.getOrThrow(Result.flip(read)).issues.map(({ path, message }) => `${path}: ${message}`)

  it("names the contact of an update and every fault", () => {
    const read = (item: unknown) => readUpdate(item, how).update
    assert.deepStrictEqual(
      read({ contact_id: id(1), city: "x" }),
      Result.succeed({ contactId: id(1), patch: { city: "x" } }),
    )
    assert.strictEqual(readUpdate({ client_item_id: "k", contact_id: 5 }, how).clientItemId, "k")
    assert.deepStrictEqual(paths(read({ city: 5 })), [
      "contact_id: is required: the id of the contact",
      "city: must be text",
    ])
    for (const bad of [null, 5, "", "x", `${id(1)}0`]) {
      assert.deepStrictEqual(paths(read({ contact_id: bad })), ["contact_id: must be the id of a contact, a UUID"])
    }
    for (const bad of [null, 5, "x", []]) assert.deepStrictEqual(paths(read(bad)), [": must be an object"])
  })

  it("rejects names without a body: one is read-only, the other unknown", () => {
    assert.deepStrictEqual(readPatch({}, how), Result.succeed({}))
    assert.deepStrictEqual(
      paths(readPatch({ contact_id: id(1), client_item_id: "k", marketing_email_invalid: true }, how)),
      [
        "contact_id: is read-only",
        "client_item_id: is not a field of a contact",
        "marketing_email_invalid: is read-only",
      ],
    )
  })

  it("accepts only the contact of a deletion", () => {
    assert.deepStrictEqual(readDelete({ contact_id: id(1), client_item_id: "k" }), {
      clientItemId: "k",
      contactId: Result.succeed(id(1)),
    })
    assert.deepStrictEqual(paths(readDelete({ contact_id: id(1), city: "x", client_item_id: {} }).contactId), [
      "city: is not part of this item: it takes client_item_id and contact_id",
      "client_item_id: must be text",
    ])
  })
})

describe("Item refusal", () => {
  const issue = (code: ItemErrorCode, path: string) => ({ path, code, message: "is wrong" })
  const code = (...codes: ReadonlyArray<ItemErrorCode>) =>
    refusalOfOne(refusal(codes.map((each, n) => issue(each, `f${n}`)))).code

  it("has the code of its fault, and the general code when faults differ", () => {
    for (const own of [
      "invalid_email",
      "invalid_phone",
      "unknown_custom_field",
      "invalid_custom_field_value",
    ] as const) {
      assert.strictEqual(code(own), own)
      assert.strictEqual(code(own, own), own)
      assert.strictEqual(code(own, "field_not_editable"), "validation_failed")
      assert.strictEqual(code("INVALID_ITEM", own), "validation_failed")
    }
    assert.strictEqual(code("INVALID_ITEM"), "validation_failed")
    assert.strictEqual(code("NOT_FOUND"), "not_found")
  })
})
