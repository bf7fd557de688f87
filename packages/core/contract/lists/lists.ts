// Contract tests of `ListStore`: creation of lists and changes of members.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { FieldChange } from "../../src/contacts/CustomField.ts"
import { ContactId, FieldDefinitionId, ListId, type TopicId } from "../../src/kernel/Ids.ts"
import { ListChange, type NewList, type StaticList } from "../../src/lists/List.ts"
import { nameCandidates } from "../../src/lists/ListName.ts"
import { RuleFactsStore } from "../../src/segments/RuleFacts.ts"
import type { RuleTree } from "../../src/segments/RuleTree.ts"
import type { Rooms } from "../blasts/blastWorld.ts"
import { listCounts } from "./listCounts.ts"
import { listListings } from "./listListings.ts"
import { listRemovals } from "./listRemovals.ts"
import { at, begin, cityIs, memberQuery, everyList, given, now, owner, type Ports, sorted } from "./listWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"

export const lists = <E>(name: string, live: Layer.Layer<Ports | Rooms, E>) => {
  listChanges(name, live)
  listListings(name, live)
  listRemovals(name, live)
  listCounts(name, live)
}

const listChanges = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ListStore (${name})`, (it) => {
    it.effect("reads a list of each kind as it was created", () =>
      Effect.gen(function* () {
        const { store, workspace, people, make } = yield* begin
        const contactIds = yield* people(2)
        const made = [
          yield* make(given("Zoë 😀 \"'\\"), { kind: "static", contactIds }, { when: at(1_777) }),
          yield* make(given("by rule"), { kind: "dynamic", rules: cityIs("Zürich") }),
          yield* make(given("without rules"), { kind: "dynamic", rules: null }),
          yield* make(given("inline"), { kind: "static", contactIds: [] }, { owner }),
        ]
        for (const list of made) assert.deepStrictEqual(yield* store.get(workspace, list.id), list)
      }),
    )

    it.effect("gives each workspace its two system lists with their members", () =>
      Effect.gen(function* () {
        const { store, workspace, add, audience, idsOf } = yield* begin
        const one = yield* add({})
        const two = yield* add({ unsubscribed: true })
        const { items } = yield* store.list(workspace, { ...everyList, kind: "system" })
        assert.deepStrictEqual(sorted(items.map((list) => list.name)), ["All contacts", "Unsubscribed"])
        for (const list of items) {
          const held = list.kind === "system" && list.systemList === "unsubscribed" ? [two] : [one, two]
          assert.deepStrictEqual(sorted(yield* idsOf(list)), sorted(held))
          assert.strictEqual(yield* store.countMembers(workspace, audience(list)), held.length)
          assert.deepStrictEqual(yield* store.get(workspace, list.id), list)
        }
      }),
    )

    it.effect("compares names by their folded form, also with system lists, and frees the name of a deleted list", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, make, makeStatic } = yield* begin
        const list = yield* makeStatic("Zoë ΟΔΟΣ")
        for (const taken of ["zoE\u0308 οδος", "ZOË ΟΔΟσ", "all CONTACTS", "Unsubscribed"]) {
          assert.strictEqual((yield* Effect.flip(makeStatic(taken)))._tag, "ListNameExists", taken)
        }
        yield* makeStatic("Zoe ΟΔΟΣ")
        const inline = yield* make(given("passing"), { kind: "static", contactIds: [] }, { owner })
        yield* transact(store.apply(workspace, ListChange.discardInline({ ...inline, ownerBlastId: owner }, now)))
        assert.strictEqual((yield* Effect.flip(store.get(workspace, inline.id)))._tag, "NotFound")
        yield* makeStatic("passing")
        assert.deepStrictEqual(yield* store.get(workspace, list.id), list)
      }),
    )

    it.effect("refuses a taken name that no use case checked", () =>
      Effect.gen(function* () {
        const { fresh, store, transact, workspace, makeStatic } = yield* begin
        yield* makeStatic("Taken")
        const wanted = (name: string, random: string): NewList => ({
          id: ListId.make(random),
          candidates: { names: [name], slugs: [`slug-${random}`] },
          description: null,
          content: { kind: "dynamic", rules: null },
        })
        const unaware = {
          taken: { names: new Map<string, ListId>(), slugs: new Set<string>() },
          contacts: new Set<ContactId>(),
        }
        const created = Result.getOrThrow(ListChange.create(wanted("tAKEN", yield* fresh.id), unaware, now))
        assert.strictEqual(
          (yield* Effect.flip(transact(store.apply(workspace, created.change))))._tag,
          "ListNameExists",
        )
      }),
    )

    it.effect(
      "creates one of several concurrent lists with one name, numbers derived names, and gives each its own slug",
      () =>
        Effect.gen(function* () {
          const { make, makeStatic } = yield* begin
          const tries = yield* Effect.all(
            Array.from({ length: 6 }, () => Effect.result(makeStatic("Race"))),
            { concurrency: 6 },
          )
          assert.strictEqual(tries.filter(Result.isSuccess).length, 1)
          const derived = yield* Effect.all(
            Array.from({ length: 4 }, () =>
              make(
                { text: "Race", origin: "derived" },
                { kind: "static", contactIds: [] },
                {
                  owner,
                },
              ),
            ),
            { concurrency: 4 },
          )
          assert.deepStrictEqual(sorted(derived.map((list) => list.name)), [
            "Race (2)",
            "Race (3)",
            "Race (4)",
            "Race (5)",
          ])
          const alike = yield* Effect.all(
            ["Über uns!", "über UNS", "Uber, uns", "uber-uns"].map((each) => makeStatic(each)),
            { concurrency: 4 },
          )
          const slugs = alike.map((list) => list.slug)
          assert.deepStrictEqual(sorted(slugs), ["uber-uns", "uber-uns-2", "uber-uns-3", "uber-uns-4"])
          const kanji = [yield* makeStatic("漢字"), yield* makeStatic("仮名")].map((list) => list.slug)
          for (const slug of kanji) assert.match(slug, /^list-[0-9a-z]{6}$/)
          assert.strictEqual(new Set(kanji).size, 2)
        }),
    )

    it.effect("counts each added and removed member once, with timeline entries and events", () =>
      Effect.gen(function* () {
        const { store, contacts, workspace, people, makeStatic, move, audience, idsOf } = yield* begin
        const [one, two, three] = yield* people(3)
        if (one === undefined || two === undefined || three === undefined) return assert.fail("no contacts")
        const unknownContact = ContactId.make("00000000-0000-4000-8000-0000000000ff")
        const list = yield* makeStatic("Members", [one, one])
        assert.strictEqual(list.kind === "static" ? list.memberCount : null, 1)

        const added = yield* move(
          ListChange.addMembers,
          list.id,
          [two, unknownContact, one, two, unknownContact],
          at(2_000_000),
        )
        assert.deepStrictEqual([added.changed, added.unchanged, added.notFound], [1, 1, [unknownContact]])
        assert.deepStrictEqual(sorted(yield* idsOf(list)), sorted([one, two]))
        assert.deepStrictEqual(yield* store.get(workspace, list.id), added.list)

        const removed = yield* move(ListChange.removeMembers, list.id, [one, three, unknownContact, one], at(3_000_000))
        assert.deepStrictEqual([removed.changed, removed.unchanged, removed.notFound], [1, 1, [unknownContact]])
        assert.deepStrictEqual(yield* idsOf(list), [two])
        assert.strictEqual(yield* store.countMembers(workspace, audience(list)), 1)
        assert.strictEqual(((yield* store.get(workspace, list.id)) as StaticList).memberCount, 1)

        const { items } = yield* contacts.activities(workspace, one, { page: 1, limit: 10, order: "asc" })
        assert.deepStrictEqual(
          items.map(({ type, at: when, metadata }) => [type, when.epochMilliseconds, metadata["list_id"]]),
          [
            ["contact_created", 1_234, undefined],
            ["list_added", 1_000_000, list.id],
            ["list_removed", 3_000_000, list.id],
          ],
        )
        const events = yield* eventsOf(workspace)
        const written = events.filter((event) => event.type.startsWith("list_"))
        assert.deepStrictEqual(
          written.map(({ type, contactId, data }) => [type, contactId, data["list_id"]]),
          [
            ["list_created", null, list.id],
            ["list_added", one, list.id],
            ["list_added", two, list.id],
            ["list_removed", one, list.id],
          ],
        )
      }),
    )

    it.effect("adds each contact once when several requests add the same ones", () =>
      Effect.gen(function* () {
        const { store, workspace, people, makeStatic, move } = yield* begin
        const ids = yield* people(12)
        const list = yield* makeStatic("Crowd")
        const moves = yield* Effect.all(
          [ids, ids.toReversed(), ids.slice(3), ids.slice(0, 9).toReversed()].map((some) =>
            move(ListChange.addMembers, list.id, some),
          ),
          { concurrency: 4 },
        )
        assert.strictEqual(
          moves.reduce((sum, { changed }) => sum + changed, 0),
          12,
        )
        assert.strictEqual(((yield* store.get(workspace, list.id)) as StaticList).memberCount, 12)
      }),
    )

    it.effect("makes a later decision on names or members wait for an earlier one and see its result", () =>
      Effect.gen(function* () {
        const { fresh, store, transact, workspace, people, make, makeStatic, move } = yield* begin
        const ids = yield* people(2)
        const list = yield* makeStatic("Shared")
        const candidates = nameCandidates({ text: "Next", origin: "derived" }, yield* fresh.id)
        const id = ListId.make(yield* fresh.id)
        const wanted: NewList = { id, candidates, description: null, content: { kind: "dynamic", rules: null } }
        const locked = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const first = yield* Effect.gen(function* () {
          const members = yield* store.lockForMembers(workspace, list.id, ids)
          const names = yield* store.lockForCreation(workspace, { candidates, contactIds: [], named: [] })
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(go)
          const moved = yield* Effect.fromResult(ListChange.addMembers(members, ids, now))
          const created = yield* Effect.fromResult(ListChange.createInline(wanted, owner, names, now))
          yield* store.apply(workspace, moved.change)
          yield* store.apply(workspace, created.change)
          return created.list.name
        }).pipe(transact, Effect.forkChild)
        yield* Deferred.await(locked)
        const second = yield* Effect.forkChild(
          make({ text: "Next", origin: "derived" }, { kind: "dynamic", rules: null }, { owner }),
        )
        const third = yield* Effect.forkChild(move(ListChange.addMembers, list.id, ids))
        yield* Effect.sleep("100 millis")
        yield* Deferred.succeed(go, undefined)
        assert.strictEqual(yield* Fiber.join(first), "Next")
        assert.strictEqual((yield* Fiber.join(second)).name, "Next (2)")
        const { changed, unchanged, list: after } = yield* Fiber.join(third)
        assert.deepStrictEqual([changed, unchanged, after.memberCount], [0, 2, 2])
      }),
    )

    it.effect("refuses to add or remove members of dynamic and system lists", () =>
      Effect.gen(function* () {
        const { store, workspace, people, make, move } = yield* begin
        const ids = yield* people(1)
        const dynamic = yield* make(given("dynamic"), { kind: "dynamic", rules: null })
        const [system] = (yield* store.list(workspace, { ...everyList, kind: "system" })).items
        for (const decide of [ListChange.addMembers, ListChange.removeMembers]) {
          assert.strictEqual((yield* Effect.flip(move(decide, dynamic.id, ids)))._tag, "ListNotStatic")
          assert.strictEqual(
            (yield* Effect.flip(move(decide, system?.id ?? dynamic.id, ids)))._tag,
            "SystemListProtected",
          )
        }
      }),
    )

    it.effect("lists the contacts that match the rules of a dynamic list now, and none without rules", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, add, make, audience, idsOf, fresh } = yield* begin
        const fields = yield* ContactFieldStore
        const facts = yield* RuleFactsStore
        const field = FieldDefinitionId.make(yield* fresh.id)
        const change = yield* transact(
          Effect.gen(function* () {
            const existing = yield* fields.lock(workspace)
            const wanted = {
              apiName: "constructor",
              displayName: "C",
              valueType: "string" as const,
              isEditable: true,
              description: null,
              showInPeopleListDefault: false,
            }
            const decided = yield* Effect.fromResult(
              FieldChange.create(
                [wanted],
                { existing, ids: [field], now },
                { provenanceKind: "api", pathOf: () => "" },
              ),
            )
            yield* fields.apply(workspace, decided)
            return decided
          }),
        )
        assert.strictEqual(change.creates.length, 1)
        const customFields = new Map([["constructor", "STRAẞE"]])
        const [ours] = [
          yield* add({ city: "ZU\u0308RICH", customFields }),
          yield* add({ city: "zürich" }),
          yield* add({}),
        ]
        const rules: RuleTree = {
          kind: "group",
          operator: "and",
          conditions: [
            cityIs("Zürich"),
            {
              kind: "condition",
              source: "custom_field",
              fieldDefinitionId: field,
              operator: "ends_with",
              value: "aße",
            },
          ],
        }
        assert.deepStrictEqual(yield* facts.of(workspace, { fields: [], lists: [] }), {
          fields: [],
          staticLists: new Set<ListId>(),
          topics: new Set<TopicId>(),
        })
        const known = yield* facts.of(workspace, { fields: [field], lists: [] })
        const byName = { fields: [], lists: [], fieldNames: ["constructor", "nope"] }
        assert.deepStrictEqual(yield* facts.of(workspace, byName), known)
        const list = yield* make(given("picked"), { kind: "dynamic", rules })
        const held = yield* store.members(workspace, { list, fields: known.fields, now }, memberQuery)
        assert.deepStrictEqual(
          held.items.map(({ contact, addedAt }) => [contact.id, addedAt]),
          [[ours, null]],
        )
        assert.strictEqual(yield* store.countMembers(workspace, { list, fields: known.fields, now }), 1)
        const none = yield* make(given("none"), { kind: "dynamic", rules: null })
        assert.deepStrictEqual(yield* idsOf(none), [])
        assert.strictEqual(yield* store.countMembers(workspace, audience(none)), 0)
      }),
    )

    it.effect("writes neither list nor member nor event when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, contacts, transact, workspace, people, makeStatic } = yield* begin
        const ids = yield* people(2)
        const list = yield* makeStatic("Kept")
        const failing = Effect.gen(function* () {
          const moved = Result.getOrThrow(
            ListChange.addMembers(yield* store.lockForMembers(workspace, list.id, ids), ids, now),
          )
          yield* store.apply(workspace, moved.change)
          return yield* Effect.fail("no")
        })
        yield* Effect.exit(transact(failing))
        assert.deepStrictEqual(yield* store.get(workspace, list.id), list)
        const timeline = yield* contacts.activities(workspace, ids[0] ?? ContactId.make(list.id), {
          page: 1,
          limit: 9,
          order: "asc",
        })
        assert.deepStrictEqual(
          timeline.items.map(({ type }) => type),
          ["contact_created"],
        )
        const events = yield* eventsOf(workspace)
        assert.isFalse(events.some(({ type }) => type === "list_added"))
      }),
    )

    it.effect("allows rules to name static lists, but not inline lists", () =>
      Effect.gen(function* () {
        const { workspace, make, makeStatic } = yield* begin
        const facts = yield* RuleFactsStore
        const content = { kind: "static", contactIds: [] } as const
        const named = [
          yield* makeStatic("Theirs to name"),
          yield* make(given("Of a blast"), content, { owner }),
          yield* make(given("By rules"), { kind: "dynamic", rules: null }),
        ].map(({ id }) => id)
        const { staticLists } = yield* facts.of(workspace, { fields: [], lists: named })
        assert.deepStrictEqual([...staticLists], named.slice(0, 1))
      }),
    )

    it.effect("neither shows nor changes lists of another workspace", () =>
      Effect.gen(function* () {
        const { fresh, store, transact, workspace, people, make, makeStatic, audience } = yield* begin
        const ids = yield* people(2)
        const list = yield* makeStatic("Ours", ids)
        const other = yield* fresh.workspace()
        assert.strictEqual((yield* Effect.flip(store.get(other, list.id)))._tag, "NotFound")
        assert.strictEqual((yield* store.list(other, everyList)).total, 2)
        assert.deepStrictEqual(yield* store.members(other, audience(list), memberQuery), { items: [], total: 0 })
        assert.strictEqual(yield* store.countMembers(other, audience(list)), 0)
        assert.strictEqual((yield* Effect.flip(transact(store.lockForMembers(other, list.id, ids))))._tag, "NotFound")
        const facts = yield* RuleFactsStore
        assert.strictEqual((yield* facts.of(other, { fields: [], lists: [list.id] })).staticLists.size, 0)
        assert.strictEqual((yield* facts.of(workspace, { fields: [], lists: [list.id] })).staticLists.size, 1)
        const theirs = yield* make(given("Ours"), { kind: "static", contactIds: [] }, { inside: other })
        assert.strictEqual(theirs.slug, list.slug)
        const refused = yield* Effect.flip(make(given("New"), { kind: "static", contactIds: ids }, { inside: other }))
        assert.strictEqual(refused._tag, "NotFound")
      }),
    )
  })
