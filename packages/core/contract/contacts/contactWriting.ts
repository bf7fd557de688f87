// Contract tests of writing contacts.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Contact, CustomValue } from "../../src/contacts/Contact.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { type ContactPatch, newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import { at, begin, email, everything, identitiesOfContact, idsOf, type Ports } from "./contactWorld.ts"
import { eventsOf } from "./notifications.ts"

/** Every field set, with values that are hard to store: milliseconds, fractions, decomposed and astral characters, quotes. */
const full: ContactPatch = {
  displayName: "Zoe\u0308 \"Q\" 'a' \\ % _ 😀",
  firstName: "  Zoe\u0308 ",
  lastName: "ΟΔΟΣ",
  company: "a,b;{c}",
  jobTitle: "\t",
  email: email("An.na@Bücher.Example"),
  phone: "+14152000001",
  address: "1 Way\nBack",
  address2: "c/o",
  city: "Zürich",
  state: "ZH",
  zipCode: "08001",
  country: "CH",
  leadStatus: "open",
  lifecycleStage: "lead",
  serviceScore: 0.1,
  unsubscribed: true,
  marketingEmailSubscribed: true,
  marketingSmsSubscribed: false,
  originalSource: "Fair",
  originalSourceDetail: "İ",
  customFields: new Map<string, CustomValue>([
    ["text", "NULL"],
    ["constructor", "{1,2}"],
    ["number", 1e-7],
    ["flag", false],
    ["day", "2024-02-29"],
    ["tags", ["VIP", "e\u0301", "a,b"]],
  ]),
}

export const writing = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ContactStore writes (${name})`, (it) => {
    it.effect("reads a contact as it was written, with every field set or none", () =>
      Effect.gen(function* () {
        const { store, workspace, add } = yield* begin
        const whole = yield* add(full, at(1_777_777_777_777))
        const bare = yield* add({ phone: "+4930123456" })
        assert.deepStrictEqual(yield* store.get(workspace, whole.id), whole)
        assert.deepStrictEqual(yield* store.get(workspace, bare.id), bare)
        assert.strictEqual(bare.originalSource, "api")
        assert.strictEqual(yield* store.count(workspace), 2)
      }),
    )

    it.effect("writes a change over the old values and clears what it clears", () =>
      Effect.gen(function* () {
        const { store, workspace, add, set } = yield* begin
        const before = yield* add(full)
        const customFields = new Map([["text", null]])
        const after = yield* set(before, { phone: null, lastName: null, serviceScore: null, customFields }, at(5_001))
        assert.deepStrictEqual(yield* store.get(workspace, before.id), after)
        assert.deepStrictEqual([after.phone, after.lastName, after.updatedAt.epochMilliseconds], [null, null, 5_001])
        assert.isFalse(Object.hasOwn(after.customFields, "text"))
      }),
    )

    it.effect("writes a timeline entry and an event with the changed fields for each step", () =>
      Effect.gen(function* () {
        const { store, workspace, id, write } = yield* begin
        const made = newContact(yield* id, { email: email("a@x.test"), city: "A" }, "form", at(1_000))
        const customFields = new Map<string, CustomValue>([
          ["n", 5],
          ["tags", ["vip", "gold"]],
        ])
        const moved = patchContact(made, { city: "B", customFields }, at(2_000))
        assert.strictEqual(
          patchContact(moved, { customFields: new Map([["tags", ["vip", "gold"]]]) }, at(2_500)),
          moved,
        )
        yield* write([
          { before: null, after: made, at: at(1_000) },
          { before: made, after: moved, at: at(2_000) },
          { before: moved, after: moved, at: at(3_000) },
        ])
        const changes = [
          { field: "city", from: "A", to: "B" },
          { field: "custom_fields.n", from: null, to: 5 },
          { field: "custom_fields.tags", from: null, to: ["vip", "gold"] },
        ]
        const { items, total } = yield* store.activities(workspace, made.id, { page: 1, limit: 10, order: "asc" })
        assert.strictEqual(total, 2)
        assert.deepStrictEqual(
          items.map((line) => [line.type, line.at.epochMilliseconds, line.metadata]),
          [
            ["contact_created", 1_000, { original_source: "form" }],
            ["contact_updated", 2_000, { changes }],
          ],
        )
        const events = yield* eventsOf(workspace)
        assert.deepStrictEqual(
          events.map((event) => [event.type, event.contactId, event.at.epochMilliseconds, event.data]),
          items.map((line) => [line.type, made.id, line.at.epochMilliseconds, line.metadata]),
        )
        assert.deepStrictEqual(yield* store.get(workspace, made.id), moved)
      }),
    )

    it.effect("returns the timeline of a contact in pages, in both directions", () =>
      Effect.gen(function* () {
        const { store, workspace, add, set, id } = yield* begin
        let contact = yield* add({ email: email("t@x.test") })
        for (const n of [2, 3, 4]) contact = yield* set(contact, { city: `C${n}` }, at(n * 1000))
        const times = (order: "asc" | "desc", page: number) =>
          Effect.map(store.activities(workspace, contact.id, { page, limit: 3, order }), ({ items, total }) => [
            total,
            ...items.map((line) => line.at.epochMilliseconds),
          ])
        assert.deepStrictEqual(yield* times("asc", 1), [4, 1_234, 2_000, 3_000])
        assert.deepStrictEqual(yield* times("desc", 1), [4, 4_000, 3_000, 2_000])
        assert.deepStrictEqual(yield* times("desc", 2), [4, 1_234])
        assert.deepStrictEqual(yield* times("asc", 3), [4])
        const query = { page: 1, limit: 3, order: "asc" } as const
        assert.strictEqual((yield* Effect.flip(store.activities(workspace, yield* id, query)))._tag, "NotFound")
      }),
    )

    it.effect("refuses a change with a taken address, and writes nothing of it", () =>
      Effect.gen(function* () {
        const { store, workspace, add, set, id, write } = yield* begin
        const there = yield* add({ email: email("taken@x.test"), phone: "+14152000009" })
        const other = yield* add({ email: email("other@x.test") })
        const before = yield* eventsOf(workspace)
        const stranger = newContact(yield* id, { email: email("new@x.test") }, "api", at(1))
        const thief = newContact(yield* id, { email: email("TAKEN@X.test") }, "api", at(1))
        const steps = [stranger, thief].map((after) => ({ before: null, after, at: at(1) }))
        assert.strictEqual((yield* Effect.flip(write(steps)))._tag, "IdentityTaken")
        const robbed = yield* Effect.flip(set(other, { phone: "+14152000009" }, at(2)))
        assert.strictEqual(robbed._tag, "IdentityTaken")
        assert.sameMembers(idsOf((yield* store.list(workspace, everything)).items), [there.id, other.id])
        assert.deepStrictEqual(yield* store.get(workspace, other.id), other)
        assert.strictEqual((yield* eventsOf(workspace)).length, before.length)
      }),
    )

    it.effect("moves addresses and numbers between contacts within one change", () =>
      Effect.gen(function* () {
        const { store, workspace, add, write, id } = yield* begin
        const [a, b, c] = [
          yield* add({ email: email("a@x.test"), phone: "+14152000001" }),
          yield* add({ email: email("b@x.test"), phone: "+14152000002" }),
          yield* add({ email: email("c@x.test") }),
        ]
        const now = at(9_000)
        const to = (before: Contact, address: string, phone: string | null) => ({
          before,
          after: patchContact(before, { email: email(address), phone }, now),
          at: now,
        })
        const newcomer = newContact(yield* id, { email: email("c@x.test") }, "api", now)
        yield* write([
          to(c, "d@x.test", null),
          to(a, "b@x.test", "+14152000002"),
          to(b, "a@x.test", "+14152000001"),
          { before: null, after: newcomer, at: now },
        ])
        const holder = (address: string) =>
          Effect.map(store.findByIdentity(workspace, { emails: [address], phones: [] }), ([one]) => [
            one?.id,
            one?.phone,
          ])
        assert.deepStrictEqual(yield* holder("a@x.test"), [b.id, "+14152000001"])
        assert.deepStrictEqual(yield* holder("b@x.test"), [a.id, "+14152000002"])
        assert.deepStrictEqual(yield* holder("c@x.test"), [newcomer.id, null])
        assert.deepStrictEqual(yield* holder("d@x.test"), [c.id, null])
      }),
    )

    it.effect("finds contacts by email, phone and id, each once", () =>
      Effect.gen(function* () {
        const { store, workspace, add } = yield* begin
        const both = yield* add({ email: email("both@x.test"), phone: "+14152000001" })
        const one = yield* add({ phone: "+14152000002" })
        yield* add({ email: email("unchecked@x.test") })
        const found = yield* store.findByIdentity(workspace, {
          emails: ["both@x.test", "unknown@x.test"],
          phones: ["+14152000001", "+14152000002", "+14152000003"],
        })
        assert.sameMembers(idsOf(found), [both.id, one.id])
        assert.deepStrictEqual(yield* store.findByIdentity(workspace, { emails: [], phones: [] }), [])
      }),
    )

    it.effect("shows nothing of another workspace, which may have the same addresses", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, add, fresh, id } = yield* begin
        const contact = yield* add({ email: email("same@x.test"), phone: "+14152000001" })
        const other = yield* fresh.workspace()
        const identities = { emails: ["same@x.test"], phones: ["+14152000001"] }
        assert.strictEqual((yield* Effect.flip(store.get(other, contact.id)))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.findByIdentity(other, identities), [])
        assert.deepStrictEqual(yield* transact(store.lock(other, { ...identities, ids: [contact.id] })), [])
        assert.deepStrictEqual(yield* store.list(other, everything), { items: [], total: 0 })
        assert.strictEqual(yield* store.count(other), 0)
        const query = { page: 1, limit: 3, order: "asc" } as const
        assert.strictEqual((yield* Effect.flip(store.activities(other, contact.id, query)))._tag, "NotFound")
        const twin = newContact(yield* id, { email: email("same@x.test"), phone: "+14152000001" }, "api", at(1))
        yield* transact(store.apply(other, ContactsChange.of([{ before: null, after: twin, at: at(1) }])))
        assert.deepStrictEqual(idsOf(yield* store.findByIdentity(workspace, identities)), [contact.id])
        assert.deepStrictEqual(idsOf(yield* store.findByIdentity(other, identities)), [twin.id])
      }),
    )

    it.effect("writes neither contact nor timeline nor event when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, id } = yield* begin
        const contact = newContact(yield* id, { email: email("gone@x.test") }, "api", at(1))
        const change = ContactsChange.of([{ before: null, after: contact, at: at(1) }])
        yield* Effect.exit(transact(Effect.andThen(store.apply(workspace, change), Effect.fail("no"))))
        assert.strictEqual(yield* store.count(workspace), 0)
        assert.deepStrictEqual(yield* store.findByIdentity(workspace, identitiesOfContact(contact)), [])
        assert.deepStrictEqual(yield* eventsOf(workspace), [])
        // What was rolled back does not affect the next write.
        yield* transact(store.apply(workspace, change))
        assert.deepStrictEqual(yield* store.get(workspace, contact.id), contact)
      }),
    )
  })
