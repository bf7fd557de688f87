// Contract tests of updates and names of contact lists.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { type Ids, ListId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { Lists } from "../../src/lists/Lists.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import type { RuleFactsStore } from "../../src/segments/RuleFacts.ts"
import type { SegmentStore } from "../../src/segments/SegmentStore.ts"
import { furnished, inCity, later, notOn, type Rooms } from "../blasts/blastWorld.ts"
import { everyList, owner, sorted } from "./listWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"

type Needs = Rooms | Ids | Outbox | RuleFactsStore | SegmentStore

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const verbs = yield* Lists
  const { workspace, lists, fresh, transact } = world
  const dynamic = (name: string, rules: unknown = null) =>
    Effect.map(verbs.create(workspace, { name, kind: "dynamic", description: "d", rules }), ({ list }) => list)
  const inline = Effect.fnUntraced(function* (name: string) {
    const id = ListId.make(yield* fresh.id)
    const candidates = { names: [name], slugs: [`slug-${id}`] }
    const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds: [], named: [] })
    const wanted = { id, candidates, description: null, content: { kind: "static", contactIds: [] } } as const
    const { change, list } = yield* Effect.fromResult(ListChange.createInline(wanted, owner, facts, later(0)))
    yield* lists.apply(workspace, change)
    return list
  }, transact)
  /** The events of the lists themselves. */
  const written = Effect.map(eventsOf(workspace), (events) =>
    events.flatMap(({ type, data }) =>
      type === "list_rules_changed" || type === "list_deleted" ? [[type, data["list_id"]]] : [],
    ),
  )
  return { ...world, verbs, dynamic, inline, written }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const listVerbs = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = Layer.provideMerge(Lists.layer, rooms)
  editing(name, live)
  naming(name, live)
}

const editing = <E>(name: string, live: Layer.Layer<Needs | Lists, E>) =>
  layer(live, { excludeTestServices: true })(`List updates (${name})`, (it) => {
    it.effect("changes only the named fields and reads back what it returned", () =>
      Effect.gen(function* () {
        const { verbs, workspace, lists, dynamic, person, written } = yield* begin
        yield* person("ann", { city: "Bern" })
        const made = yield* dynamic("By city", inCity("Zürich"))
        const renamed = (yield* verbs.update(workspace, made.id, { name: "Über uns" })).list
        const { updatedAt } = renamed
        assert.deepStrictEqual(renamed, { ...made, name: "Über uns", slug: "uber-uns", updatedAt })
        const cleared = (yield* verbs.update(workspace, made.id, { description: "" })).list
        assert.deepStrictEqual(cleared, { ...renamed, description: null, updatedAt: cleared.updatedAt })
        assert.deepStrictEqual(yield* written, [])

        const rules = { kind: "condition", source: "contact", field: "city", operator: "eq", value: "Bern" }
        const ruled = (yield* verbs.update(workspace, made.id, { rules, description: "e" })).list
        assert.deepInclude(ruled, { name: "Über uns", description: "e", rules: inCity("Bern") })
        assert.deepStrictEqual(yield* lists.get(workspace, made.id), ruled)
        assert.strictEqual((yield* verbs.memberCount(workspace, made.id)).count, 1)
        const bare = (yield* verbs.update(workspace, made.id, { rules: null, description: null })).list
        assert.deepInclude(bare, { description: null, rules: null })
        assert.deepStrictEqual(yield* lists.get(workspace, made.id), bare)
        assert.strictEqual((yield* verbs.memberCount(workspace, made.id)).count, 0)
        assert.deepStrictEqual(yield* written, [
          ["list_rules_changed", made.id],
          ["list_rules_changed", made.id],
        ])
      }),
    )

    it.effect("changes nothing and writes no event when an update repeats the current values", () =>
      Effect.gen(function* () {
        const { verbs, workspace, lists, dynamic, written } = yield* begin
        const made = yield* dynamic("Same", inCity("Zürich"))
        const bare = yield* dynamic("Bare")
        yield* Effect.sleep("5 millis")
        const same = { name: "Same", description: "d", rules: inCity("Zürich") }
        assert.deepStrictEqual((yield* verbs.update(workspace, made.id, same)).list, made)
        assert.deepStrictEqual(yield* lists.get(workspace, made.id), made)
        assert.deepStrictEqual((yield* verbs.update(workspace, bare.id, { rules: null })).list, bare)
        assert.deepStrictEqual(yield* written, [])
        const moved = (yield* verbs.update(workspace, made.id, { name: "SAME" })).list
        assert.isAbove(moved.updatedAt.epochMilliseconds, made.updatedAt.epochMilliseconds)
      }),
    )

    it.effect(
      "changes nothing when it refuses: system lists, rules of static lists, rules that cannot be decoded",
      () =>
        Effect.gen(function* () {
          const { verbs, workspace, lists, dynamic, listOf, fresh } = yield* begin
          const made = yield* dynamic("Kept", inCity("Zürich"))
          const fixed = yield* listOf("static", [])
          const [system] = (yield* lists.list(workspace, { ...everyList, kind: "system" })).items
          assert(system !== undefined)
          const unread = { kind: "group", conditions: [{ kind: "condition", source: "email_step" }, notOn(made.id)] }
          for (const [id, patch, tag] of [
            [system.id, { description: "x" }, "SystemListProtected"],
            [system.id, { rules: unread }, "SystemListProtected"],
            [fixed.id, { name: "renamed", rules: inCity("Bern") }, "Invalid"],
            [fixed.id, { rules: null }, "Invalid"],
            [made.id, { name: "renamed", rules: unread }, "Invalid"],
            [ListId.make(yield* fresh.id), { name: "renamed" }, "NotFound"],
          ] as const) {
            assert.strictEqual(yield* tagOf(verbs.update(workspace, id, patch)), tag)
          }
          const both = yield* Effect.flip(verbs.update(workspace, made.id, { rules: unread }))
          assert(both._tag === "Invalid")
          assert.deepStrictEqual(
            both.issues.map(({ path }) => path),
            ["rules.conditions.0.source", "rules.conditions.1.conditions.0.conditions.0.listId"],
          )
          for (const list of [made, fixed, system]) assert.deepStrictEqual(yield* lists.get(workspace, list.id), list)
        }),
    )

    it.effect("dies on an update that was decided on an older state", () =>
      Effect.gen(function* () {
        const { verbs, workspace, lists, dynamic, transact } = yield* begin
        const made = yield* dynamic("Before")
        const wanted = { candidates: undefined, named: [] }
        const locked = yield* transact(lists.lockForUpdate(workspace, made.id, wanted))
        yield* Effect.sleep("5 millis")
        yield* verbs.update(workspace, made.id, { description: "meanwhile" })
        const named = { fields: [], staticLists: new Set<ListId>(), topics: new Set<never>() }
        const late = Result.getOrThrow(ListChange.update({ ...locked, named }, { description: "late" }, later(0)))
        assert.strictEqual((yield* Effect.exit(transact(lists.apply(workspace, late.change))))._tag, "Failure")
        assert.strictEqual((yield* lists.get(workspace, made.id)).description, "meanwhile")
      }),
    )

    it.effect("makes rules that name a list wait for its deletion and refuses them", () =>
      Effect.gen(function* () {
        const { verbs, workspace, dynamic, listOf, deleting } = yield* begin
        const user = yield* dynamic("there")
        for (const [index, send] of [
          (rules: unknown) => Effect.asVoid(dynamic("new", rules)),
          (rules: unknown) => Effect.asVoid(verbs.update(workspace, user.id, { rules })),
        ].entries()) {
          const { id } = yield* listOf(`named ${index}`, [])
          const refused = yield* deleting(id, send(notOn(id)))
          assert(Result.isFailure(refused) && refused.failure._tag === "Invalid")
          assert.deepStrictEqual(
            refused.failure.issues.map(({ path }) => path),
            ["rules.conditions.0.conditions.0.listId"],
          )
        }
      }),
    )

    it.effect("neither updates, deletes nor locks lists of another workspace", () =>
      Effect.gen(function* () {
        const { verbs, workspace, lists, dynamic, listOf } = yield* begin
        const made = yield* dynamic("Ours")
        const fixed = yield* listOf("named", [])
        const other = yield* furnished()
        yield* other.list("Theirs", { kind: "dynamic", rules: notOn(fixed.id) })
        assert.strictEqual(yield* tagOf(verbs.update(other.workspace, made.id, { name: "Theirs too" })), "NotFound")
        assert.strictEqual(yield* tagOf(verbs.delete(other.workspace, made.id)), "NotFound")
        assert.deepStrictEqual(yield* lists.get(workspace, made.id), made)
        yield* verbs.update(workspace, made.id, { name: "Theirs" })
        yield* verbs.delete(workspace, fixed.id)
      }),
    )
  })

const naming = <E>(name: string, live: Layer.Layer<Needs | Lists, E>) =>
  layer(live, { excludeTestServices: true })(`List names (${name})`, (it) => {
    it.effect(
      "keeps the slug for another spelling of the name; refuses the name of another list, also of an inline one",
      () =>
        Effect.gen(function* () {
          const { verbs, workspace, lists, dynamic, inline } = yield* begin
          const made = yield* dynamic("Zoë ΟΔΟΣ")
          const other = yield* dynamic("zoe")
          yield* inline("Hidden")
          const spelled = (yield* verbs.update(workspace, made.id, { name: "ZOE\u0308 οδοσ" })).list
          assert.deepStrictEqual([spelled.name, spelled.slug], ["ZOE\u0308 οδοσ", made.slug])
          for (const taken of ["ZOE", "all CONTACTS", "hIDDEN"]) {
            assert.strictEqual(yield* tagOf(verbs.update(workspace, made.id, { name: taken })), "ListNameExists", taken)
          }
          assert.deepStrictEqual(yield* lists.get(workspace, made.id), spelled)
          // A list may reuse its own slug. The name and slug that it gives up are free for others.
          assert.strictEqual((yield* verbs.update(workspace, made.id, { name: "Zoë!" })).list.slug, "zoe")
          assert.strictEqual((yield* verbs.update(workspace, other.id, { name: "Zoe?" })).list.slug, "zoe-2")
          assert.strictEqual((yield* verbs.update(workspace, made.id, { name: "Else" })).list.slug, "else")
          assert.strictEqual((yield* dynamic("Zoë ΟΔΟΣ")).slug, "zoe")
        }),
    )

    it.effect("gives a name to one of several concurrent renames and new lists", () =>
      Effect.gen(function* () {
        const { verbs, workspace, lists, dynamic } = yield* begin
        const others = yield* Effect.forEach(["a", "b", "c"], (each) => dynamic(each))
        const tries = yield* Effect.all(
          [
            ...others.map(({ id }) => Effect.asVoid(verbs.update(workspace, id, { name: "Wanted" }))),
            ...["wanted", "WANTED"].map((each) => Effect.asVoid(dynamic(each))),
          ].map((each) => Effect.result(each)),
          { concurrency: 5 },
        )
        const refused = tries.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : []))
        assert.deepStrictEqual(
          refused,
          Array.from({ length: 4 }, () => "ListNameExists"),
        )
        assert.strictEqual((yield* lists.list(workspace, { ...everyList, search: "wanted" })).total, 1)
      }),
    )

    it.effect("gives each list its own slug when concurrent renames lead to the same one", () =>
      Effect.gen(function* () {
        const { verbs, workspace, dynamic } = yield* begin
        const others = yield* Effect.forEach(["a", "b", "c"], (each) => dynamic(each))
        const names = ["Über uns!", "über UNS", "uber, uns"]
        const renamed = yield* Effect.all(
          others.map(({ id }, index) => verbs.update(workspace, id, { name: names[index] ?? "" })),
          { concurrency: 3 },
        )
        assert.deepStrictEqual(sorted(renamed.map(({ list }) => list.slug)), ["uber-uns", "uber-uns-2", "uber-uns-3"])
      }),
    )

    it.effect("renames lists while new rules name them", () =>
      Effect.gen(function* () {
        const { verbs, workspace, lists, dynamic, listOf } = yield* begin
        const named = yield* Effect.forEach(["a", "b", "c"], (each) => listOf(each, []))
        yield* Effect.all(
          named.flatMap(({ id, name: each }) => [
            Effect.asVoid(verbs.update(workspace, id, { name: `${each} renamed` })),
            Effect.asVoid(dynamic(`not on ${each}`, notOn(id))),
          ]),
          { concurrency: 6 },
        )
        assert.strictEqual((yield* lists.list(workspace, { ...everyList, search: "renamed" })).total, 3)
        assert.strictEqual((yield* lists.list(workspace, { ...everyList, search: "not on" })).total, 3)
      }),
    )
  })
