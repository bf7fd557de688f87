// Contract tests of the port that finds the contacts of a rule tree.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { contactSorts } from "../../src/contacts/ContactStore.ts"
import type { ContactPatch } from "../../src/contacts/ContactPatch.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { FieldDefinitionId, type ListId, type TopicId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { compileRules } from "../../src/segments/Evaluate.ts"
import type { RuleField } from "../../src/segments/RuleFacts.ts"
import type { ActivityCondition, RuleCondition, RuleNode, RuleTree } from "../../src/segments/RuleTree.ts"
import { type Segment, type SegmentQuery, SegmentStore } from "../../src/segments/SegmentStore.ts"
import type { TopicStatus } from "../../src/topics/Topic.ts"
import { at, begin as beginLists, cityIs, now, type Ports, sorted } from "../lists/listWorld.ts"

const segmentQuery: SegmentQuery = { page: 1, limit: 100, sort: "created_at", order: "desc", search: null }

const or = (...conditions: ReadonlyArray<RuleNode>): RuleTree => ({ kind: "group", operator: "or", conditions })
const and = (...conditions: ReadonlyArray<RuleNode>): RuleTree => ({ kind: "group", operator: "and", conditions })
const activity = (
  activityType: ActivityCondition["activityType"],
  operator: ActivityCondition["operator"],
  minutes?: number,
): RuleCondition => ({
  kind: "condition",
  source: "activity",
  activityType,
  operator,
  ...(minutes === undefined ? {} : { timeWindow: { amount: minutes, unit: "minute" } }),
})
const member = (listId: ListId, operator: "is_member" | "is_not_member" = "is_member"): RuleCondition => ({
  kind: "condition",
  source: "list_membership",
  listId,
  operator,
})

const begin = Effect.gen(function* () {
  const world = yield* beginLists
  const segments = yield* SegmentStore
  const segment = (tree: RuleTree, fields: Segment["fields"] = []): Segment => ({ tree, fields, now })
  const page = (tree: RuleTree, query: Partial<SegmentQuery> = {}) =>
    segments.list(world.workspace, segment(tree), { ...segmentQuery, ...query })
  const idsOf = (tree: RuleTree, query: Partial<SegmentQuery> = {}) =>
    Effect.map(page(tree, query), ({ items }) => items.map(({ id }) => id))
  return { ...world, segments, segment, page, idsOf }
})

export const segments = <E>(name: string, live: Layer.Layer<Ports | SegmentStore, E>) =>
  layer(live, { excludeTestServices: true })(`SegmentStore (${name})`, (it) => {
    it.effect("returns the matches of a rule tree in the order of contact listings", () =>
      Effect.gen(function* () {
        const { contacts, workspace, add, page } = yield* begin
        const names = ["b", "B", "Ä", "A\u0308", "z", "ﬁ", "😀", "ΟΔΟΣ", "οδος", null, null, "ß"]
        for (const [index, each] of names.entries()) {
          const named = { displayName: each, firstName: each, lastName: each }
          yield* add(
            { ...named, city: index % 4 === 3 ? "Other" : "Here", originalSource: ["Fair", "fair"][index % 2] ?? "" },
            at(1_000 + (index % 5)),
          )
        }
        for (const sort of contactSorts) {
          for (const order of ["asc", "desc"] as const) {
            const whole = yield* contacts.list(workspace, { ...segmentQuery, sort, order, updatedAfter: null })
            const expected = whole.items.filter(({ city }) => city === "Here")
            assert.strictEqual(expected.length, 9)
            const pages = yield* Effect.forEach([1, 2, 3], (each) =>
              page(cityIs("here"), { sort, order, page: each, limit: 4 }),
            )
            assert.deepStrictEqual(
              pages.map(({ items, total }) => [items.length, total]),
              [
                [4, 9],
                [4, 9],
                [1, 9],
              ],
            )
            assert.deepStrictEqual(
              pages.flatMap(({ items }) => items),
              expected,
              `${sort} ${order}`,
            )
          }
        }
      }),
    )

    it.effect("returns an empty page past the end, with the total", () =>
      Effect.gen(function* () {
        const { add, page } = yield* begin
        yield* add({ city: "Here" })
        yield* add({ city: "Here" })
        assert.deepStrictEqual(yield* page(cityIs("here"), { page: 2, limit: 2 }), { items: [], total: 2 })
        assert.deepStrictEqual(yield* page(cityIs("there")), { items: [], total: 0 })
        assert.deepStrictEqual(yield* page(cityIs("there"), { page: 3 }), { items: [], total: 0 })
      }),
    )

    it.effect("searches the matches of a rule tree as it searches all contacts", () =>
      Effect.gen(function* () {
        const { contacts, workspace, add, page } = yield* begin
        const someone = (patch: ContactPatch) => add({ ...patch, city: "Here" })
        yield* someone({
          email: parseEmail("An.Na@Bücher.example"),
          phone: "+14152000001",
          displayName: "xDisp%_'\\y",
          firstName: "Zoe\u0308",
          lastName: "ΟΔΟΣ",
          company: "Ac[m]e*",
        })
        yield* someone({ displayName: "xDispz", firstName: "plain" })
        yield* add({ displayName: "xDisp%_'\\y", firstName: "Zoë", company: "Ac[m]e*", city: "There" })
        const pieces = ["disp%_'\\", "zoë", "ZOË", "δοσ", "c[M]E*", "n.na@BÜCHER", "152000001", "disp", "here", "%", ""]
        const found: Array<number> = []
        for (const search of pieces) {
          const whole = yield* contacts.list(workspace, { ...segmentQuery, search, updatedAfter: null })
          const expected = whole.items.filter(({ city }) => city === "Here")
          assert.deepStrictEqual(yield* page(cityIs("here"), { search }), { items: expected, total: expected.length })
          found.push(expected.length)
        }
        assert.deepStrictEqual(found, [1, 1, 1, 1, 1, 1, 1, 2, 0, 1, 2])
      }),
    )

    it.effect("counts all matches and returns the requested number, the newest first", () =>
      Effect.gen(function* () {
        const { contacts, workspace, add, segments, segment } = yield* begin
        const ids = yield* Effect.forEach([3, 1, 2, 3, 4, 5], (second) => add({ city: "Here" }, at(second * 1_000)))
        yield* add({ city: "There" }, at(9_000))
        const [a = "", b = ""] = sorted([ids[0] ?? "", ids[3] ?? ""])
        const newest = [ids[5], ids[4], a, b, ids[2], ids[1]]
        for (const limit of [10, 3]) {
          const { items, total } = yield* segments.list(workspace, segment(cityIs("here")), { ...segmentQuery, limit })
          assert.strictEqual(total, 6)
          assert.deepStrictEqual(
            items.map(({ id }) => id),
            newest.slice(0, limit),
          )
          for (const contact of items) assert.deepStrictEqual(contact, yield* contacts.get(workspace, contact.id))
        }
        const none = yield* segments.list(workspace, segment(cityIs("nowhere")), segmentQuery)
        assert.deepStrictEqual(none, { items: [], total: 0 })
      }),
    )

    it.effect("counts correctly when rules only name a list, at any depth", () =>
      Effect.gen(function* () {
        const { people, makeStatic, page } = yield* begin
        const list = yield* makeStatic("L", (yield* people(3)).slice(1))
        const on = member(list.id)
        const off = member(list.id, "is_not_member")
        const trees = [and(on), or(on), and(or(and(on))), and(on, on), or(on, off), and(off), and(on, off)]
        const totals = yield* Effect.forEach(trees, (tree) =>
          Effect.map(page(tree, { limit: 1 }), ({ total }) => total),
        )
        assert.deepStrictEqual(totals, [2, 2, 2, 2, 3, 1, 0])
      }),
    )

    it.effect("reads timelines and lists as of the segment's now", () =>
      Effect.gen(function* () {
        const { people, makeStatic, move, idsOf } = yield* begin
        const [long, late, never] = yield* people(3)
        if (long === undefined || late === undefined || never === undefined) return assert.fail("three were made")
        const list = yield* makeStatic("L")
        yield* move(ListChange.addMembers, list.id, [long], at(now.epochMilliseconds - 60_001))
        yield* move(ListChange.addMembers, list.id, [late], at(now.epochMilliseconds - 60_000))
        const cases: ReadonlyArray<readonly [RuleCondition, ReadonlyArray<string>]> = [
          [activity("list_added", "has_activity"), [long, late]],
          [activity("list_added", "has_activity", 1), [late]],
          [activity("list_added", "has_no_activity", 1), [long, never]],
          [activity("list_removed", "has_activity"), []],
          [member(list.id), [long, late]],
          [member(list.id, "is_not_member"), [never]],
        ]
        for (const [condition, held] of cases) {
          assert.deepStrictEqual(sorted(yield* idsOf(and(condition))), sorted(held), JSON.stringify(condition))
        }
      }),
    )

    it.effect("returns the latest activity of each named type and the named lists of each contact, in order", () =>
      Effect.gen(function* () {
        const { contacts, workspace, people, makeStatic, move, segments } = yield* begin
        const ids = yield* people(3)
        const [one, two] = ids
        if (one === undefined || two === undefined) return assert.fail("three were made")
        const [named, other, unnamed] = [yield* makeStatic("N"), yield* makeStatic("O"), yield* makeStatic("U")]
        yield* move(ListChange.addMembers, named.id, [one], at(5_000))
        yield* move(ListChange.addMembers, unnamed.id, [one, two], at(9_000))
        yield* move(ListChange.addMembers, other.id, [one], at(7_000))
        yield* move(ListChange.removeMembers, unnamed.id, [two], at(9_500))
        const asked = yield* Effect.forEach([...ids].reverse(), (id) => contacts.get(workspace, id))
        const tree = or(
          member(named.id),
          member(other.id, "is_not_member"),
          activity("list_added", "has_activity", 1),
          and(activity("list_added", "has_no_activity")),
          activity("contact_created", "has_no_activity"),
          activity("email_opened", "has_activity"),
        )
        const subjectRows = yield* segments.subjects(workspace, asked, tree)
        assert.deepStrictEqual(
          subjectRows.map(({ contact }) => contact),
          asked,
        )
        const known = (index: number) => {
          const subject = subjectRows[subjectRows.length - 1 - index]
          return [
            subject?.activities.map(({ type, at }) => `${type} ${at.epochMilliseconds}`).sort(),
            sorted([...(subject?.lists ?? [])]),
          ]
        }
        const created = "contact_created 1234"
        assert.deepStrictEqual(known(0), [[created, "list_added 9000"], sorted([named.id, other.id])])
        assert.deepStrictEqual(known(1), [[created, "list_added 9000"], []])
        assert.deepStrictEqual(known(2), [[created], []])
        const plain = yield* segments.subjects(workspace, asked, cityIs("here"))
        for (const { activities, lists } of plain) assert.deepStrictEqual([activities.length, lists.size], [0, 0])
        assert.deepStrictEqual(yield* segments.subjects(workspace, [], tree), [])
      }),
    )

    it.effect("evaluates to true for the contacts of a page and to false for all others", () =>
      Effect.gen(function* () {
        const { contacts, workspace, add, makeStatic, move, segments, segment } = yield* begin
        const field = (id: string, apiName: string, status: RuleField["status"]): RuleField => ({
          id: FieldDefinitionId.make(id),
          apiName,
          displayName: apiName,
          valueType: "string",
          status,
          provenanceProvider: null,
        })
        const fields = [
          field("00000000-0000-4000-8000-000000000001", "shoe_size", "active"),
          field("00000000-0000-4000-8000-000000000002", "old", "archived"),
        ]
        const custom = (index: number, operator: "equals" | "is_empty", value?: string): RuleCondition => ({
          kind: "condition",
          source: "custom_field",
          fieldDefinitionId: fields[index]?.id ?? assert.fail("no such field"),
          operator,
          ...(value === undefined ? {} : { value }),
        })
        const worn = new Map([
          ["shoe_size", "42"],
          ["old", "x"],
        ])
        const people = yield* Effect.forEach(Array.from({ length: 8 }), (_, index) =>
          add({ city: index % 2 ? "Here" : null, customFields: index % 4 < 2 ? worn : new Map() }),
        )
        const list = yield* makeStatic("L")
        yield* move(ListChange.addMembers, list.id, people.slice(0, 3), at(now.epochMilliseconds - 120_000))
        yield* move(ListChange.addMembers, list.id, people.slice(3, 5), now)
        const everyone = yield* Effect.forEach(people, (id) => contacts.get(workspace, id))
        const cases = [
          and(custom(0, "equals", "42"), activity("list_added", "has_activity", 1)),
          or(custom(1, "is_empty"), custom(1, "equals", "x")),
          or(custom(0, "is_empty"), member(list.id)),
          and(activity("list_added", "has_no_activity", 1), member(list.id, "is_not_member")),
          { ...cityIs("here"), operator: "or" as const },
        ]
        const counts: Array<number> = []
        for (const tree of cases) {
          const subjects = yield* segments.subjects(workspace, everyone, tree)
          const picked = subjects.filter(compileRules(tree, { fields, now })).map(({ contact }) => contact.id)
          const { items, total } = yield* segments.list(workspace, segment(tree, fields), segmentQuery)
          assert.deepStrictEqual(sorted(items.map(({ id }) => id)), sorted(picked), JSON.stringify(tree))
          assert.strictEqual(total, picked.length)
          counts.push(total)
        }
        assert.deepStrictEqual(counts, [1, 0, 7, 3, 4])
      }),
    )

    it.effect("ignores contacts, timelines and lists of another workspace", () =>
      Effect.gen(function* () {
        const { fresh, contacts, workspace, add, makeStatic, segments, segment } = yield* begin
        const id = yield* add({ city: "Here" })
        const list = yield* makeStatic("L", [id])
        const other = yield* fresh.workspace()
        const tree = or(cityIs("here"), member(list.id))
        const emptyPage = { items: [], total: 0 }
        assert.deepStrictEqual(yield* segments.list(other, segment(tree), segmentQuery), emptyPage)
        const contact = yield* contacts.get(workspace, id)
        const asking = or(activity("contact_created", "has_activity"), member(list.id))
        const [subject] = yield* segments.subjects(other, [contact], asking)
        assert.deepStrictEqual(subject, {
          contact,
          activities: [],
          lists: new Set<ListId>(),
          topics: new Map<TopicId, TopicStatus>(),
        })
        const [own] = yield* segments.subjects(workspace, [contact], asking)
        assert.deepStrictEqual([own?.activities.length, own?.lists], [1, new Set([list.id])])
      }),
    )
  })
