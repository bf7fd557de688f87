// Contract tests of `TentStore`.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { ApprovalId, AssetId, TentId, TentTemplateId } from "../../src/kernel/Ids.ts"
import { root } from "../../src/tents/Alias.ts"
import { PublishedPages } from "../../src/tents/pages/PublishedPages.ts"
import { publish, TentChange } from "../../src/tents/machine.ts"
import type { PublishFacts } from "../../src/tents/Publishing.ts"
import type { Tent } from "../../src/tents/Tent.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import type { Cursor, Sliced } from "../../src/kernel/Page.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { Fresh } from "../kernel/fresh.ts"
import { alias, at, contextOf, html, moves } from "./tentMoves.ts"

export const tents = <E>(
  name: string,
  live: Layer.Layer<TentStore | PublishedPages | WorkspaceStore | Outbox | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`TentStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const store = yield* TentStore
      const pages = yield* PublishedPages
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      return { store, pages, workspaces, transact, fresh, workspace, ...moves(store, transact, fresh) }
    })

    it.effect("reads a tent as it was accepted, and takes its credit", () =>
      Effect.gen(function* () {
        const { store, workspaces, workspace, accept } = yield* begin
        const tent = yield* accept(workspace, { name: "Äpfel", userId: "u 7", now: at(1_234), autoPublish: true })
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), tent)
        assert.strictEqual(yield* store.content(workspace, tent.id), null)
        assert.strictEqual((yield* workspaces.get(workspace)).credits, 999)
      }),
    )

    it.effect("reads all fields of the request, also of an idle tent that received it later", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, fresh, accept } = yield* begin
        const assetIds = [AssetId.make(yield* fresh.id), AssetId.make(yield* fresh.id)]
        const approvalId = ApprovalId.make(yield* fresh.id)
        const template = { id: TentTemplateId.make(yield* fresh.id), approvalId }
        const variables = { city: "Bern", "opening hours": "9 to 17 h" }
        const request = { assetIds, template, variables, reasoning: "high", aliasTurn: 3, includeBrand: false } as const
        const tent = yield* accept(workspace, { request })
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), tent)
        const id = TentId.make(yield* fresh.id)
        yield* transact(store.apply(workspace, TentChange.idle(id, at(3))))
        const idle = yield* store.get(workspace, id)
        assert.deepStrictEqual([idle.generation.status, idle.request, idle.publication], ["pending", null, null])
        const asked = { prompt: "p", autoPublish: false, ...request }
        const named = { id, name: "n", createdByName: "a key", userId: null, requestedAlias: null, now: at(9) }
        const given = { ...named, idle, request: asked }
        const change = TentChange.accept(given)
        yield* transact(store.apply(workspace, change))
        assert.deepStrictEqual(yield* store.get(workspace, id), change.after)
        assert.strictEqual(change.after?.createdAt.epochMilliseconds, 3)
      }),
    )

    it.effect("reads every state as it was written", () =>
      Effect.gen(function* () {
        const { store, workspace, accept, change, completed, publishAs } = yield* begin
        const failed = yield* accept(workspace, { autoPublish: true })
        yield* change(workspace, failed.id, (tent) => TentChange.begin(tent, at(10)))
        const after = yield* change(workspace, failed.id, (tent) => TentChange.fail(tent, "no Ö", at(11)))
        assert.deepStrictEqual(yield* store.get(workspace, failed.id), after)
        const tent = yield* completed(workspace)
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), tent)
        assert.strictEqual(yield* store.content(workspace, tent.id), html)
        const live = yield* publishAs(workspace, tent.id, { alias: alias("a.b_c-9"), removeBranding: true })
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), live)
        assert.strictEqual(live?.publication?.status, "published")
        const away = yield* change(workspace, tent.id, (before) => TentChange.unpublish(before, at(77)))
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), away)
        assert.strictEqual(away?.alias, "a.b_c-9")
      }),
    )

    it.effect("writes events of a page that is generated, published at an address, withdrawn and deleted", () =>
      Effect.gen(function* () {
        const { workspace, accept, autoPublished, change, publishAs, remove } = yield* begin
        const failed = yield* accept(workspace, {})
        yield* change(workspace, failed.id, (tent) => TentChange.fail(tent, "no Ö", at(2)))
        const { id } = yield* accept(workspace, { autoPublish: true })
        yield* change(workspace, id, (tent) => TentChange.begin(tent, at(5)))
        yield* autoPublished(workspace, id)
        yield* publishAs(workspace, id, { alias: alias("spring") })
        yield* change(workspace, id, (tent) => TentChange.unpublish(tent, at(55)))
        yield* publishAs(workspace, id, {})
        yield* remove(workspace, id)
        const events = yield* eventsOf(workspace)
        const published = { tent_id: id, published_url: "https://pages.example.org/spring" }
        assert.deepStrictEqual(
          events.map(({ at: when, data, type }) => [type, when.epochMilliseconds, data]),
          [
            ["tent_generation_failed", 2, { tent_id: failed.id, error: "no Ö" }],
            ["tent_generated", 50, { tent_id: id }],
            ["tent_published", 50, { tent_id: id, published_url: `https://pages.example.org/t/${id}` }],
            ["tent_published", 50, published],
            ["tent_unpublished", 55, { tent_id: id }],
            ["tent_published", 50, published],
            ["tent_unpublished", 60, { tent_id: id }],
            ["tent_deleted", 60, { tent_id: id }],
          ],
        )
      }),
    )

    it.effect("gives the last credit to one of two requests, and writes nothing of the other", () =>
      Effect.gen(function* () {
        const { store, workspaces, fresh, accept } = yield* begin
        const workspace = yield* fresh.workspace({ credits: 1 })
        const all = yield* Effect.all(
          Array.from({ length: 5 }, () => Effect.result(accept(workspace, {}))),
          { concurrency: 5 },
        )
        assert.strictEqual(all.filter(Result.isSuccess).length, 1)
        for (const each of all.filter(Result.isFailure)) assert.strictEqual(each.failure._tag, "InsufficientCredits")
        assert.strictEqual((yield* store.list(workspace, { after: null, limit: 100 })).items.length, 1)
        assert.strictEqual((yield* workspaces.get(workspace)).credits, 0)
      }),
    )

    it.effect(
      "starts, completes and fails a generation once each when requests run at the same time, and moves one credit",
      () =>
        Effect.gen(function* () {
          const { store, workspaces, workspace, accept, change } = yield* begin
          const { id } = yield* accept(workspace, {})
          const many = (decide: (tent: Tent) => TentChange | null) =>
            Effect.all(
              Array.from({ length: 4 }, () => change(workspace, id, decide)),
              { concurrency: 4 },
            )
          const begun = yield* many((tent) => TentChange.begin(tent, at(5)))
          assert.strictEqual(begun.filter((each) => each !== null).length, 1)
          const failed = yield* many((tent) => TentChange.fail(tent, "no", at(6)))
          assert.strictEqual(failed.filter((each) => each !== null).length, 1)
          assert.strictEqual((yield* workspaces.get(workspace)).credits, 1000)
          assert.deepStrictEqual(yield* many((tent) => TentChange.complete(tent, html, "sample", at(7))), [
            null,
            null,
            null,
            null,
          ])
          assert.strictEqual((yield* store.get(workspace, id)).generation.status, "failed")
        }),
    )

    it.effect("writes no tent and no alias and takes no credit when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, workspaces, workspace, transact, accepted, completed } = yield* begin
        const tent = yield* completed(workspace)
        const { id, change } = yield* accepted({})
        const facts = yield* transact(store.lockPublishing(workspace, tent.id, null))
        const outcome = yield* Effect.fromResult(publish(tent, { alias: alias("lost") }, contextOf(facts)))
        const published = outcome.change ?? (yield* Effect.die("it was not live"))
        yield* Effect.exit(
          transact(
            Effect.gen(function* () {
              yield* store.apply(workspace, change)
              yield* store.apply(workspace, published)
              return yield* Effect.fail("no")
            }),
          ),
        )
        assert.strictEqual((yield* Effect.flip(store.get(workspace, id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(store.findByAlias(workspace, alias("lost"))))._tag, "NotFound")
        assert.strictEqual((yield* workspaces.get(workspace)).credits, 999)
      }),
    )

    it.effect("gives an alias to one of several concurrent publications", () =>
      Effect.gen(function* () {
        const { store, workspace, completed, publishAs } = yield* begin
        const all = yield* Effect.forEach([1, 2, 3, 4], () => completed(workspace))
        const results = yield* Effect.all(
          all.map((tent) => Effect.result(publishAs(workspace, tent.id, { alias: alias("spring") }))),
          { concurrency: 4 },
        )
        assert.strictEqual(results.filter(Result.isSuccess).length, 1)
        for (const each of results.filter(Result.isFailure)) assert.strictEqual(each.failure._tag, "AliasTaken")
        const holder = yield* store.findByAlias(workspace, alias("spring"))
        assert.strictEqual(holder.publication?.status, "published")
      }),
    )

    it.effect("refuses a taken alias that no use case checked", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, completed, publishAs } = yield* begin
        const [one, two] = [yield* completed(workspace), yield* completed(workspace)]
        yield* publishAs(workspace, one.id, { alias: alias("held") })
        // Decided on wrong facts, as if the alias were free.
        const outcome = yield* Effect.fromResult(publish(two, { alias: alias("held") }, contextOf(untrue)))
        const change = outcome.change ?? (yield* Effect.die("it was not live"))
        const refused = yield* Effect.flip(transact(store.apply(workspace, change)))
        assert.strictEqual(refused._tag, "AliasTaken")
        assert.strictEqual((yield* store.get(workspace, two.id)).publication, null)
      }),
    )

    it.effect("gives aliases with -2, -3 … to pages that are published automatically at the same time", () =>
      Effect.gen(function* () {
        const { workspace, accept, change, autoPublished } = yield* begin
        const all = yield* Effect.forEach([1, 2, 3], () =>
          accept(workspace, { autoPublish: true, alias: alias("twin") }),
        )
        for (const { id } of all) yield* change(workspace, id, (tent) => TentChange.begin(tent, at(5)))
        const done = yield* Effect.all(
          all.map(({ id }) => autoPublished(workspace, id)),
          { concurrency: 3 },
        )
        assert.deepStrictEqual(done.map((tent) => String(tent?.alias)).sort(), ["twin", "twin-2", "twin-3"])
      }),
    )

    it.effect("deletes a tent once when several requests delete it, and returns its credit once", () =>
      Effect.gen(function* () {
        const { workspaces, workspace, accept, remove } = yield* begin
        const { id } = yield* accept(workspace, {})
        const all = yield* Effect.all(
          Array.from({ length: 5 }, () => Effect.result(remove(workspace, id))),
          { concurrency: 5 },
        )
        assert.strictEqual(all.filter(Result.isSuccess).length, 1)
        for (const each of all.filter(Result.isFailure)) assert.strictEqual(each.failure._tag, "NotFound")
        assert.strictEqual((yield* workspaces.get(workspace)).credits, 1000)
      }),
    )

    it.effect("publishes one of fifty concurrent tents on a plan for one", () =>
      Effect.gen(function* () {
        const { store, fresh, completed, publishAs } = yield* begin
        const workspace = yield* fresh.workspace({ plan: "free" })
        const all = yield* Effect.forEach(Array.from({ length: 50 }), () => completed(workspace), { concurrency: 5 })
        yield* Effect.all(
          all.map((tent) => publishAs(workspace, tent.id, {})),
          { concurrency: "unbounded" },
        )
        const { items } = yield* store.list(workspace, { after: null, limit: 100 })
        const states = items.map((tent) => tent.publication?.status)
        assert.strictEqual(states.filter((state) => state === "published").length, 1)
        assert.strictEqual(states.filter((state) => state === "failed").length, 49)
      }),
    )

    it.effect("locks the workspace while a publication is decided", () =>
      Effect.gen(function* () {
        const { store, workspace, fresh, transact, completed, publishAs } = yield* begin
        const other = yield* fresh.workspace()
        const [one, two, theirs] = [yield* completed(workspace), yield* completed(workspace), yield* completed(other)]
        const held = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const deciding = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* store.lockPublishing(workspace, one.id, null)
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(go)
            }),
          ),
        )
        yield* Deferred.await(held)
        const waiting = yield* Effect.forkChild(publishAs(workspace, two.id, {}))
        const free = yield* Effect.forkChild(publishAs(other, theirs.id, {}))
        yield* Effect.sleep("100 millis")
        assert.strictEqual(waiting.pollUnsafe(), undefined)
        yield* Deferred.succeed(go, undefined)
        for (const fiber of [deciding, waiting, free]) yield* Fiber.join<unknown, unknown>(fiber)
      }),
    )

    it.effect("counts the other published tents and lists the taken aliases with the same beginning", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, completed, publishAs, change } = yield* begin
        const all = yield* Effect.forEach(["sale", "sale-2", "tale", "sa"], (text) =>
          Effect.gen(function* () {
            const tent = yield* completed(workspace)
            yield* publishAs(workspace, tent.id, { alias: alias(text) })
            return tent.id
          }),
        )
        const [sale = TentId.make(""), second = TentId.make("")] = all
        yield* change(workspace, second, (tent) => TentChange.unpublish(tent, at(9)))
        const facts = yield* transact(store.lockPublishing(workspace, sale, alias("sale")))
        assert.strictEqual(facts.others_published, 2)
        assert.isFalse(facts.taken.has("sale"))
        assert.isTrue(facts.taken.has("sale-2"))
        assert.deepStrictEqual([facts.plan.publishedTents_max, facts.plan.brandingRemovable], [null, true])
      }),
    )

    it.effect("deletes a tent, frees its alias, and returns its unspent credit", () =>
      Effect.gen(function* () {
        const { store, workspaces, workspace, accept, completed, publishAs, remove } = yield* begin
        const tent = yield* completed(workspace)
        yield* publishAs(workspace, tent.id, { alias: root })
        yield* remove(workspace, tent.id)
        assert.strictEqual((yield* Effect.flip(store.get(workspace, tent.id)))._tag, "NotFound")
        const other = yield* completed(workspace)
        assert.strictEqual((yield* publishAs(workspace, other.id, { alias: root }))?.alias, root)
        const queued = yield* accept(workspace, {})
        yield* remove(workspace, queued.id)
        assert.strictEqual((yield* workspaces.get(workspace)).credits, 998)
      }),
    )

    it.effect("lists every tent once, newest first, filtered by status and name", () =>
      Effect.gen(function* () {
        const { store, workspace, accept, change } = yield* begin
        for (const [name, now] of [
          ["One 100% Große", 1],
          ["Two", 3],
          ["Three", 3],
          ["four 1000", 2],
        ] as const) {
          yield* accept(workspace, { name, now: at(now) })
        }
        const seen: Array<Tent> = []
        let after: Cursor | null = null
        do {
          const slice: Sliced<Tent> = yield* store.list(workspace, { after, limit: 1 })
          seen.push(...slice.items)
          after = slice.next
        } while (after !== null)
        assert.deepStrictEqual(
          seen.map((tent) => tent.createdAt.epochMilliseconds),
          [3, 3, 2, 1],
        )
        assert.isTrue((seen[0]?.id ?? "") < (seen[1]?.id ?? ""))
        const named = (search: string) =>
          Effect.map(store.list(workspace, { search, after: null, limit: 10 }), ({ items }) =>
            items.map((tent) => tent.name),
          )
        assert.deepStrictEqual(yield* named("100%"), ["One 100% Große"])
        assert.deepStrictEqual(yield* named("GROSSE"), [])
        assert.deepStrictEqual(yield* named("große"), ["One 100% Große"])
        assert.deepStrictEqual(yield* named("_"), [])
        const first = seen[0]?.id ?? TentId.make("")
        yield* change(workspace, first, (tent) => TentChange.begin(tent, at(9)))
        const generating = yield* store.list(workspace, { status: "generating", after: null, limit: 10 })
        assert.deepStrictEqual(
          generating.items.map((tent) => tent.id),
          [first],
        )
      }),
    )

    it.effect("neither shows nor changes tents of another workspace", () =>
      Effect.gen(function* () {
        const { store, pages, workspace, fresh, transact, completed, publishAs, remove } = yield* begin
        const other = yield* fresh.workspace()
        const tent = yield* completed(workspace)
        yield* publishAs(workspace, tent.id, { alias: alias("mine") })
        const attempts = [
          Effect.asVoid(store.get(other, tent.id)),
          Effect.asVoid(store.findByAlias(other, alias("mine"))),
          Effect.asVoid(store.content(other, tent.id)),
          Effect.asVoid(transact(store.lock(other, tent.id))),
          Effect.asVoid(remove(other, tent.id)),
        ]
        for (const attempt of attempts) assert.strictEqual((yield* Effect.flip(attempt))._tag, "NotFound")
        assert.deepStrictEqual((yield* store.list(other, { after: null, limit: 10 })).items, [])
        assert.strictEqual((yield* transact(store.lockPublishing(other, tent.id, alias("mine")))).taken.size, 0)
        assert.strictEqual(yield* pages.getPage(other, { by: "alias", alias: alias("mine") }), null)
        assert.strictEqual(yield* pages.getPage(other, { by: "id", id: tent.id }), null)
      }),
    )
  })

/** Facts as if no tent were published. */
const untrue: PublishFacts = {
  plan: { publishedTents_max: null, brandingRemovable: true },
  others_published: 0,
  taken: new Set(),
}
