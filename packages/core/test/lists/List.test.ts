import { assert, describe, it } from "@effect/vitest"
import { BlastId, ContactId, ListId } from "@tentpole/core/kernel/Ids"
import { type CreationFacts, type List, ListChange, type MemberFacts, type StaticList } from "@tentpole/core/lists/List"
import { nameCandidates } from "@tentpole/core/lists/ListName"
import { DateTime, Result, Schema } from "effect"

const now = DateTime.makeUnsafe(1_000)
const id = ListId.make("00000000-0000-4000-8000-0000000000aa")
const other = ListId.make("00000000-0000-4000-8000-0000000000cc")
const owner = BlastId.make("00000000-0000-4000-8000-0000000000bb")
const contact = (index: number) => ContactId.make(`00000000-0000-4000-8000-${String(index).padStart(12, "0")}`)
const candidates = nameCandidates({ text: "VIP", origin: "given" }, "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d")
const free: CreationFacts = { taken: { names: new Map(), slugs: new Set() }, contacts: new Set([1, 2, 3].map(contact)) }

const list: StaticList = {
  id,
  kind: "static",
  name: "VIP",
  slug: "vip",
  description: null,
  ownerBlastId: null,
  memberCount: 100,
  createdAt: now,
  updatedAt: now,
}

const wanted = (contactIds: ReadonlyArray<ContactId>) => ({
  id,
  candidates,
  description: null,
  content: { kind: "static", contactIds } as const,
})

const some = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })))

describe("List changes", () => {
  it("add each contact of a new list once, with a timeline entry", () => {
    const { change, list } = Result.getOrThrow(ListChange.create(wanted([2, 1, 2].map(contact)), free, now))
    assert.deepStrictEqual(change.added, [contact(2), contact(1)])
    assert.deepStrictEqual(
      [list.kind, list.kind === "static" && list.memberCount, list.ownerBlastId],
      ["static", 2, null],
    )
    const metadata = { list_id: id, list_name: "VIP" }
    assert.deepStrictEqual(change.activities, [
      { contactId: contact(2), type: "list_added", at: now, metadata },
      { contactId: contact(1), type: "list_added", at: now, metadata },
    ])
    assert.deepStrictEqual(
      change.events.map(({ type, data }) => [type, data]),
      [
        ["list_created", metadata],
        ["list_added", metadata],
        ["list_added", metadata],
      ],
    )
  })

  it("refuse a list with an unknown contact, with its place in the request", () => {
    const refused = ListChange.create(wanted([1, 9, 8].map(contact)), free, now)
    assert.deepInclude(Result.isFailure(refused) && refused.failure, { _tag: "NotFound", path: "contact_ids.1" })
  })

  it("refuse a taken given name, and number a derived one", () => {
    const facts = { ...free, taken: { names: new Map([["vip", other]]), slugs: new Set(["vip"]) } }
    const refused = ListChange.create(wanted([]), facts, now)
    const expected = { _tag: "ListNameExists", details: { existing_id: other } } as const
    assert.deepInclude(Result.isFailure(refused) && refused.failure, { _tag: expected._tag, existingId: other })
    assert.deepStrictEqual(
      Result.isFailure(refused) && "details" in refused.failure && refused.failure.details,
      expected.details,
    )
    const derived = { ...wanted([]), candidates: nameCandidates({ text: "VIP", origin: "derived" }, id) }
    const { list } = Result.getOrThrow(ListChange.createInline(derived, owner, facts, now))
    assert.deepStrictEqual([list.name, list.slug, list.ownerBlastId], ["VIP (2)", "vip-2", owner])
  })

  it.prop(
    "account for every requested contact once and count correctly when adding and removing",
    { asked: some, known: some, held: some },
    ({ asked, known, held }) => {
      const contacts = new Set(known.map(contact))
      const members = new Set(held.filter((each) => known.includes(each)).map(contact))
      const facts: MemberFacts = { list, contacts, members }
      const each = new Set(asked.map(contact))
      for (const [decide, way] of [
        [ListChange.addMembers, 1],
        [ListChange.removeMembers, -1],
      ] as const) {
        const done = Result.getOrThrow(decide(facts, asked.map(contact), now))
        const moved = way === 1 ? done.change.added : done.change.removed
        assert.strictEqual(done.changed + done.unchanged + done.notFound.length, each.size)
        assert.strictEqual(moved.length, done.changed)
        assert.strictEqual(done.list.memberCount, 100 + way * done.changed)
        for (const one of moved) assert.isTrue(each.has(one) && contacts.has(one) && members.has(one) === (way === -1))
        for (const one of done.notFound) assert.isFalse(contacts.has(one))
        assert.deepStrictEqual(
          done.change.activities.map(({ contactId }) => contactId),
          moved,
        )
      }
    },
  )

  it("refuse to add or remove members of dynamic and system lists", () => {
    const { memberCount: _, ...common } = list
    const kinds: ReadonlyArray<readonly [List, "ListNotStatic" | "SystemListProtected"]> = [
      [{ ...common, kind: "dynamic", rules: null }, "ListNotStatic"],
      [{ ...common, kind: "system", systemList: "unsubscribed" }, "SystemListProtected"],
    ]
    for (const [each, tag] of kinds) {
      for (const decide of [ListChange.addMembers, ListChange.removeMembers]) {
        const refused = decide({ list: each, contacts: new Set(), members: new Set() }, [contact(1)], now)
        assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, tag)
      }
    }
  })
})
