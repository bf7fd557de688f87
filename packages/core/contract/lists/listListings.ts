// Contract tests of listings of contact lists and their members.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { contactSorts } from "../../src/contacts/ContactStore.ts"
import { ContactId, type ListId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import type { ListQuery } from "../../src/lists/ListStore.ts"
import { byCodePoint, fold } from "../../src/kernel/Text.ts"
import { at, begin, cityIs, memberQuery, everyList, given, owner, type Ports, sorted } from "./listWorld.ts"

export const listListings = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ListStore listings (${name})`, (it) => {
    it.effect("lists members by every sort in both directions, nulls last and ties by id, page by page", () =>
      Effect.gen(function* () {
        const { store, contacts, workspace, add, make, makeStatic, move, audience } = yield* begin
        const names = ["b", "B", "Ä", "A\u0308", "z", "ﬁ", "😀", "ΟΔΟΣ", "οδος", null, null, "ß"]
        const ids = yield* Effect.forEach(names, (each, index) =>
          add(
            {
              displayName: each,
              firstName: each,
              lastName: each,
              city: "Odd",
              originalSource: ["Fair", "fair"][index % 2] ?? "",
            },
            at(1_000 + (index % 5)),
          ),
        )
        const list = yield* makeStatic("Sorted")
        for (const part of [0, 1, 2]) {
          const some = ids.filter((_, index) => index % 3 === part)
          yield* move(ListChange.addMembers, list.id, some, at(5_000_000 - (part >> 1)))
        }
        const dynamic = yield* make(given("Picked"), { kind: "dynamic", rules: cityIs("odd") })
        const all = yield* Effect.forEach(ids, (id) => contacts.get(workspace, id))
        for (const order of ["asc", "desc"] as const) {
          for (const sort of contactSorts) {
            const expected = (yield* contacts.list(workspace, {
              page: 1,
              limit: 100,
              sort,
              order,
              search: null,
              updatedAfter: null,
            })).items
            for (const each of [list, dynamic]) {
              const pages = yield* Effect.forEach([1, 2, 3, 4], (page) =>
                store.members(workspace, audience(each), { ...memberQuery, sort, order, page, limit: 5 }),
              )
              assert.deepStrictEqual(
                pages.map(({ total }) => total),
                [12, 12, 12, 12],
              )
              assert.deepStrictEqual(
                pages.flatMap(({ items }) => items.map(({ contact }) => contact)),
                expected,
                `${sort} ${order}`,
              )
            }
          }
          const { items } = yield* store.members(workspace, audience(list), {
            ...memberQuery,
            sort: "member_added_at",
            order,
          })
          const times = items.map((member) => [member.addedAt?.epochMilliseconds ?? 0, member.contact.id] as const)
          const way = order === "asc" ? 1 : -1
          assert.deepStrictEqual(
            times,
            [...times].sort((a, b) => way * (a[0] - b[0]) || (a[1] < b[1] ? -1 : 1)),
          )
          assert.strictEqual(new Set(times.map(([time]) => time)).size, 2)
          const unadded = yield* store.members(workspace, audience(dynamic), {
            ...memberQuery,
            sort: "member_added_at",
            order,
          })
          assert.deepStrictEqual(
            unadded.items.map(({ contact, addedAt }) => [contact.id, addedAt]),
            sorted(all.map((contact) => contact.id)).map((id) => [ContactId.make(id), null]),
          )
        }
        const byName = (yield* store.members(workspace, audience(list), { ...memberQuery, sort: "first_name" })).items
        const folded = byName.flatMap(({ contact }) => (contact.firstName === null ? [] : [fold(contact.firstName)]))
        assert.deepStrictEqual(folded, [...folded].sort(byCodePoint))
      }),
    )

    it.effect("searches members by name and email, literally and folded, and filters them by subscription", () =>
      Effect.gen(function* () {
        const { add, make, makeStatic, idsOf } = yield* begin
        const address = parseEmail("Jo.Hn@Bücher.Example")
        const ann = yield* add({ firstName: "ÄNN", company: "Needle", city: "Here" })
        const john = yield* add({ email: address, displayName: "100% J_D", unsubscribed: true, city: "Here" })
        for (const list of [
          yield* makeStatic("S", [ann, john]),
          yield* make(given("D"), { kind: "dynamic", rules: cityIs("here") }),
        ]) {
          for (const [search, held] of [
            ["a\u0308n", [ann]],
            ["JO.HN@BÜCHER", [john]],
            ["% j_", [john]],
            ["%", [john]],
            ["needle", []],
            ["", [ann, john]],
          ] as const) {
            assert.deepStrictEqual(sorted(yield* idsOf(list, { search })), sorted(held), search)
          }
          assert.deepStrictEqual(yield* idsOf(list, { unsubscribed: true }), [john])
          assert.deepStrictEqual(yield* idsOf(list, { unsubscribed: false }), [ann])
        }
      }),
    )

    it.effect("lists contact lists newest first, by name and kind, without inline ones", () =>
      Effect.gen(function* () {
        const { store, workspace, make } = yield* begin
        const made: Array<string> = []
        for (const index of [0, 1, 2, 3, 4]) {
          const kind =
            index < 3 ? ({ kind: "static", contactIds: [] } as const) : ({ kind: "dynamic", rules: null } as const)
          made.unshift((yield* make(given(`Zebra ÄÖ 10% ${index}`), kind, { when: at(1_000 * (index + 1)) })).id)
        }
        yield* make(
          given("Zebra hidden"),
          { kind: "static", contactIds: [] },
          {
            owner,
          },
        )
        const pageIds = (query: Partial<ListQuery>) =>
          Effect.map(store.list(workspace, { ...everyList, ...query }), ({ items, total }) => [
            total,
            items.map(({ id }) => id),
          ])
        assert.deepStrictEqual(yield* pageIds({ search: "zebra A\u0308ö 10%" }), [5, made])
        assert.deepStrictEqual(yield* pageIds({ search: "ZEBRA", limit: 2, page: 2 }), [5, made.slice(2, 4)])
        assert.deepStrictEqual(yield* pageIds({ search: "ZEBRA", limit: 2, page: 9 }), [5, []])
        assert.deepStrictEqual(yield* pageIds({ search: "zebra", kind: "dynamic" }), [2, made.slice(0, 2)])
        assert.deepStrictEqual(yield* pageIds({ search: "zebra_" }), [0, []])
        assert.strictEqual((yield* store.list(workspace, everyList)).total, 7)
      }),
    )

    it.effect("lists the static lists of a contact, those it joined last first, without inline ones", () =>
      Effect.gen(function* () {
        const { store, fresh, workspace, add, make, makeStatic, move } = yield* begin
        const [ann, bob] = [yield* add({}), yield* add({})]
        const lists = yield* Effect.forEach(["One", "Two", "Three"], (title) => makeStatic(title))
        const [one, two, three] = lists.map(({ id }) => id)
        if (one === undefined || two === undefined || three === undefined) return assert.fail("no lists")
        yield* move(ListChange.addMembers, two, [ann, bob], at(1_000))
        yield* move(ListChange.addMembers, one, [ann], at(3_000))
        yield* move(ListChange.addMembers, three, [ann], at(3_000))
        yield* make(given("Hidden"), { kind: "static", contactIds: [ann] }, { owner })
        const joined = (contact: ContactId, limit = 100) =>
          Effect.map(store.listsOf(workspace, contact, limit), (all) =>
            all.map(({ addedAt, list }) => [list.id, addedAt.epochMilliseconds]),
          )
        const newest = [one, three].sort().map((id) => [id, 3_000])
        assert.deepStrictEqual(yield* joined(ann), [...newest, [two, 1_000]])
        assert.deepStrictEqual(yield* joined(ann, 2), newest)
        assert.deepStrictEqual(yield* joined(bob), [[two, 1_000]])
        assert.strictEqual((yield* store.listsOf(workspace, bob, 1))[0]?.list.memberCount, 2)
        assert.deepStrictEqual(yield* store.listsOf(yield* fresh.workspace(), ann, 100), [])
      }),
    )

    it.effect("reads dynamic lists with rules by id, in parts, without inline ones", () =>
      Effect.gen(function* () {
        const { store, fresh, workspace, make, makeStatic } = yield* begin
        const rules = cityIs("rome")
        const made = yield* Effect.forEach(["A", "B", "C"], (title) => make(given(title), { kind: "dynamic", rules }))
        yield* make(given("Empty"), { kind: "dynamic", rules: null })
        yield* make(given("Hidden"), { kind: "dynamic", rules }, { owner })
        yield* makeStatic("Chosen")
        const ids = sorted(made.map(({ id }) => id))
        const part = (after: ListId | null, limit: number) => store.dynamicLists(workspace, { after, limit })
        const first = yield* part(null, 2)
        assert.deepStrictEqual(
          first.map(({ id }) => id as string),
          ids.slice(0, 2),
        )
        assert.deepStrictEqual(first[0]?.rules, rules)
        const rest = yield* part(first[1]?.id ?? null, 2)
        assert.deepStrictEqual(
          rest.map(({ id }) => id as string),
          ids.slice(2),
        )
        assert.deepStrictEqual(yield* store.dynamicLists(yield* fresh.workspace(), { after: null, limit: 9 }), [])
      }),
    )
  })
